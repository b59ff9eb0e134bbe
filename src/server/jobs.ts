import type { Logger } from 'pino';
import type pg from 'pg';
import {
  type AccountEmails,
  createAccountDeletionJob,
  createAccountDeletionQueue,
  createAccountEmailJob,
  createAccountEmails,
  createFormerNameJob,
  createFormerNameQueue,
  deleteOldBlockedEmails,
  deleteOldRegistrations,
  deleteOldSecurityEvents,
  deleteOldSignIns,
  hasSecurityEvent,
  type QueueAccountDeletion,
  queueAccountDeletions,
  type QueueFormerName,
  queueSecurityEmails,
} from './identity/index.ts';
import {
  createEmailDelivery,
  createEmailSending,
  deleteOldBounces,
  type EmailSending,
  createEmailJobs,
  createPushJob,
  dropExpiredEmails,
  type EmailSite,
  pushDelaySeconds,
  queueConfirmationEmail,
  type QueueConfirmationEmail,
  queueDueEmails,
  queuePushes,
} from './notifications/index.ts';
import {
  createModerationJob,
  type ModerationDeps,
  queueModerationJob,
  queueModeratorMessageEmail,
} from './moderation/index.ts';
import {
  communityStatisticsJob,
  createAccountMergeJob,
  createAccountMergeQueue,
  type QueueAccountMerge,
  readEmailLogo,
} from './admin/index.ts';
import type { Database } from './core/database.ts';
import type { TopicEvent } from './core/events.ts';
import { type JobDefinition, type JobQueue, startJobQueue } from './core/job-queue.ts';
import { createMailer } from './core/mailer.ts';
import { deleteExpiredRateLimits } from './core/rate-limits.ts';
import { runAll } from './core/steps.ts';
import {
  createWebPushSender,
  defaultPushServices,
  type WebPushSender,
  getOrCreateVapidKeys,
} from './core/web-push.ts';
import type { SiteSettings } from './core/site-settings.ts';
import type { OperatorSettings } from './core/operator-settings.ts';
import { cleanUpUploads, createObjectStoreJob, deleteOldKeys, type ObjectStoreDeps } from './posts/index.ts';
import { searchPopularityJob, statisticsJob } from './discovery/index.ts';
import {
  createWebhookHosts,
  deleteInvalidApiTokens,
  deleteOldDeliveries,
  noticedKinds,
  startChangesRecorder,
  startWebhookSender,
  type WebhookSenderDeps,
} from './integrations/index.ts';

export type BackgroundJobsOptions = {
  db: Database;
  connection: pg.PoolConfig;
  settings: OperatorSettings;
  siteSettings: SiteSettings;
  /** Absent: no emails are sent. */
  email:
    | {
        url: string;
        from: string;
        bounceAddress?: string | undefined;
        replyAddress?: string | undefined;
        replySecret?: string | undefined;
      }
    | undefined;
  /** Absent: the files of pictures stay in the database. */
  pictures?: Omit<ObjectStoreDeps, 'db'> | undefined;
  log: Logger;
  /** False: no push messages and web hooks are sent. For copies of a community. */
  isSending?: boolean;
  /** Push services allowed in addition to the known ones. */
  pushServices?: readonly string[];
  /** Seconds between polls for jobs, and for jobs of nodes that died. */
  pollSeconds?: number;
  supervisionSeconds?: number;
  /** Times of web hooks and of the list of changes, for tests. */
  changes?: { pollMs: number };
  webhooks?: Pick<WebhookSenderDeps, 'pollMs' | 'timeoutMs' | 'firstRetryMs'>;
  /** False: no scheduled jobs run. For tests. */
  runsScheduledJobs?: boolean;
};

/** The background jobs of a node. */
export type BackgroundJobs = {
  queueConfirmationEmail: QueueConfirmationEmail | undefined;
  /** Absent without a mail server. */
  accountEmails: AccountEmails | undefined;
  /** Null without a mail server. */
  emailSending: EmailSending | null;
  queueAccountDeletion: QueueAccountDeletion;
  queueAccountMerge: QueueAccountMerge;
  queueFormerName: QueueFormerName;
  /** Absent if nothing is sent. */
  webPushSender: WebPushSender | undefined;
  /** Sends deliveries of web hooks that were just added. */
  wakeWebhooks: () => void;
  /** Queues the work that follows moderation actions. */
  moderation: ModerationDeps;
  /** Handles committed events: schedules push messages, security emails, web hooks and the list of changes. */
  onEvents: (events: readonly TopicEvent[]) => void;
  /** Queues all due jobs. The nodes do this every minute themselves. */
  enqueueDueJobs: () => Promise<void>;
  jobs: Pick<JobQueue, 'counts' | 'failures'>;
  stop: () => Promise<void>;
};

/** Starts every kind of job, listed explicitly. */
export async function startBackgroundJobs(options: BackgroundJobsOptions): Promise<BackgroundJobs> {
  const { db, settings, siteSettings, email, isSending = true, log, pictures, pushServices = [] } = options;
  const getSiteName = () => siteSettings.get('siteName');
  const getSite = (): EmailSite => ({
    site: settings.publicUrl ?? '',
    siteName: getSiteName(),
    accentColor: siteSettings.get('accentColor'),
    logo: siteSettings.get('logo'),
    language: siteSettings.get('language'),
  });
  const getPushSite = () => ({ ...getSite(), icon: siteSettings.get('icon') });
  const webPushSender = isSending
    ? createWebPushSender({
        keys: await getOrCreateVapidKeys(db),
        contact: pushContact(settings, email?.from),
        services: [...defaultPushServices, ...pushServices],
      })
    : undefined;
  const mailer = email === undefined ? undefined : createMailer({ ...email, getSenderName: getSiteName });
  const readLogo = (logo: string) => readEmailLogo(db, logo);
  const { secret } = settings;
  const { bounceAddress, replyAddress, replySecret } = email ?? {};
  const deliver = mailer && createEmailDelivery({ db, secret, bounceAddress, mailer, readLogo, log });
  const definitions: JobDefinition[] = [
    ...(webPushSender === undefined
      ? []
      : [createPushJob({ db, pusher: webPushSender, getSite: getPushSite, log })]),
    searchPopularityJob(db),
    statisticsJob(db),
    communityStatisticsJob(db),
    createModerationJob(db),
    createAccountDeletionJob({ db, log }),
    createAccountMergeJob({ db, settings }),
    createFormerNameJob(db),
    ...(pictures === undefined ? [] : [createObjectStoreJob({ db, log, ...pictures })]),
    ...(deliver === undefined
      ? []
      : [
          ...createEmailJobs({ db, settings, getSite, deliver, replyAddress, log }),
          createAccountEmailJob({ db, getSite, deliver }),
        ]),
    {
      name: 'enqueue-due',
      retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
      timeoutSeconds: 50,
      concurrency: 1,
      runsEvery: 'minute',
      run: (_data, _attempt, queue) => queueDue(queue),
    },
    {
      name: 'delete-expired',
      retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
      timeoutSeconds: 900,
      concurrency: 1,
      runsEvery: 'hour',
      run: deleteExpired,
    },
  ];
  const jobs = await startJobQueue({ ...options, kinds: definitions });
  const hosts = createWebhookHosts(settings.webhookHosts);
  const webhooks = isSending
    ? startWebhookSender({ db, settings, siteSettings, hosts, log, ...options.webhooks })
    : undefined;
  const changes = startChangesRecorder({ db, log, ...options.changes });
  let pushTimer: NodeJS.Timeout | undefined;
  let stopped = false;
  return {
    queueConfirmationEmail:
      mailer === undefined
        ? undefined
        : (tx, request) => queueConfirmationEmail(tx, jobs, { site: getSite(), ...request }),
    accountEmails: mailer && createAccountEmails(jobs),
    emailSending:
      mailer === undefined || email === undefined
        ? null
        : createEmailSending({
            from: email.from,
            bounceAddress,
            replyAddress,
            replySecret,
            mailer,
            readLogo,
          }),
    queueAccountDeletion: createAccountDeletionQueue(jobs),
    queueAccountMerge: createAccountMergeQueue(jobs),
    queueFormerName: createFormerNameQueue(jobs),
    webPushSender,
    wakeWebhooks: () => webhooks?.wake(),
    moderation: {
      queueWork: (tx) => queueModerationJob(tx, jobs),
      queueEmail:
        mailer === undefined
          ? undefined
          : (tx, notice) => queueModeratorMessageEmail(tx, { jobs, site: getSite(), notice }),
    },
    onEvents(events) {
      if (webPushSender !== undefined && events.some(({ event }) => event.kind === 'notified'))
        schedulePush();
      if (events.some(({ event }) => webhookKinds.has(event.kind))) webhooks?.wake();
      changes.onEvents(events);
      // If it fails, the next minute's run does it.
      if (mailer !== undefined && !stopped && hasSecurityEvent(events))
        void queueSecurityEmails(db, { jobs, site: getSite(), settings }).catch(() => {});
    },
    enqueueDueJobs: () => queueDue(jobs),
    jobs,
    async stop() {
      stopped = true;
      clearTimeout(pushTimer);
      await changes.stop();
      await webhooks?.stop();
      await jobs.stop();
      await mailer?.stop();
    },
  };

  function queueDue(queue: JobQueue): Promise<void> {
    return runAll([
      ...(webPushSender === undefined ? [] : [() => queuePushes(db, queue)]),
      () => queueAccountDeletions(db, queue),
      ...(mailer === undefined
        ? []
        : [() => queueSecurityEmails(db, { jobs: queue, site: getSite(), settings })]),
      async () => {
        // First, so that a post restored after days causes no email.
        await dropExpiredEmails(db, log);
        if (mailer !== undefined) await queueDueEmails(db, queue);
      },
      () => deleteOldSecurityEvents(db, { isEmailEnabled: mailer !== undefined }),
      () => deleteOldRegistrations(db),
      () => deleteOldSignIns(db, siteSettings.get('signInDays')),
      () => deleteOldBounces(db),
    ]);
  }

  function deleteExpired(): Promise<void> {
    return runAll([
      () => deleteOldKeys(db),
      () => deleteExpiredRateLimits(db),
      () => cleanUpUploads(db),
      () => deleteInvalidApiTokens(db),
      () => deleteOldDeliveries(db),
      () => deleteOldBlockedEmails(db),
    ]);
  }

  /** Runs once for all events of a few seconds. If it fails, the next minute's run does it. */
  function schedulePush(): void {
    pushTimer ??= setTimeout(
      () => {
        // Before, because notifications that follow need another run.
        pushTimer = undefined;
        void queuePushes(db, jobs).catch(() => {});
      },
      (pushDelaySeconds + 1) * 1_000,
    ).unref();
  }
}

const webhookKinds: ReadonlySet<string> = new Set(noticedKinds);

/** The contact for push services (RFC 8292, section 2.1): the site, or the sender address of its emails. */
function pushContact({ publicUrl }: OperatorSettings, from: string | undefined): string {
  if (publicUrl?.startsWith('https:') === true) return publicUrl;
  const address = /<([^<>]+)>$/.exec(from ?? '')?.[1] ?? from;
  return `mailto:${address ?? 'nobody@localhost'}`;
}
