import type { Logger } from 'pino';
import type pg from 'pg';
import { createAccountEmailJob, type AccountEmails, createAccountEmails } from './identity/account-emails.ts';
import { deleteOldRegistrations } from './identity/registrations.ts';
import {
  deleteOldSecurityEvents,
  hasSecurityEvent,
  queueSecurityEmails,
} from './identity/security-events.ts';
import {
  createAccountDeletionJob,
  createAccountDeletionQueue,
  type QueueAccountDeletion,
  queueAccountDeletions,
} from './identity/account-deletion.ts';
import {
  createEmailDelivery,
  dropExpiredEmails,
  createEmailJobs,
  queueConfirmationEmail,
  queueDueEmails,
} from './notifications/email.ts';
import { createModerationJob, queueModerationJob } from './moderation/moderation-job.ts';
import type { ModerationDeps } from './moderation/member-actions.ts';
import { queueModeratorMessageEmail } from './moderation/moderator-messages.ts';
import type { Database } from './core/database.ts';
import type { TopicEvent } from './core/events.ts';
import { type JobDefinition, type JobQueue, startJobQueue } from './core/job-queue.ts';
import { createMailer } from './core/email.ts';
import {
  createWebPushSender,
  defaultPushServices,
  type WebPushSender,
  getOrCreateVapidKeys,
} from './core/web-push.ts';
import type { SiteSettings } from './core/site-settings.ts';
import type { QueueConfirmationEmail } from './notifications/preferences.ts';
import { pushDelaySeconds, createPushJob, queuePushes } from './notifications/push.ts';
import { searchPopularityJob } from './discovery/search-popularity.ts';
import { statisticsJob } from './discovery/statistics.ts';

export type BackgroundJobsOptions = {
  db: Database;
  connection: pg.PoolConfig;
  settings: SiteSettings;
  /** Absent: nothing is mailed. */
  email: { url: string; from: string } | undefined;
  log: Logger;
  /** Push services beside the known ones. */
  pushServices?: readonly string[];
  /** How often a node looks for jobs, and for those whose node died, in seconds. */
  pollSeconds?: number;
  supervisionSeconds?: number;
  /** False: nothing is done every minute (jobs.ts). */
  runsScheduledJobs?: boolean;
};

/** What a node does that nobody waits for. */
export type BackgroundJobs = {
  askToConfirm: QueueConfirmationEmail | undefined;
  /** Absent where nothing is mailed. */
  accountEmails: AccountEmails | undefined;
  followDeparture: QueueAccountDeletion;
  webPushSender: WebPushSender;
  /** What follows from what operators do. */
  moderation: ModerationDeps;
  /** Told of what happened, it pushes soon. */
  onEvents: (events: readonly TopicEvent[]) => void;
  /** Queues what is due now; the nodes do it every minute by themselves. */
  enqueueDueJobs: () => Promise<void>;
  jobs: Pick<JobQueue, 'counts' | 'failures'>;
  stop: () => Promise<void>;
};

/** Starts every kind of job, listed here by hand. */
export async function startBackgroundJobs(options: BackgroundJobsOptions): Promise<BackgroundJobs> {
  const { db, settings, email, log, pushServices = [] } = options;
  const site = settings.publicUrl ?? '';
  const webPushSender = createWebPushSender({
    keys: await getOrCreateVapidKeys(db),
    contact: pushContact(settings, email?.from),
    services: [...defaultPushServices, ...pushServices],
  });
  const mailer = email === undefined ? undefined : createMailer(email);
  const deliver = mailer && createEmailDelivery({ mailer, log });
  const definitions: JobDefinition[] = [
    createPushJob({ db, pusher: webPushSender, log }),
    searchPopularityJob(db),
    statisticsJob(db),
    createModerationJob(db),
    createAccountDeletionJob({ db, log }),
    ...(deliver === undefined
      ? []
      : [
          ...createEmailJobs({ db, settings, site, deliver, log }),
          createAccountEmailJob({ db, site, deliver }),
        ]),
    {
      name: 'due',
      retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
      timeoutSeconds: 50,
      concurrency: 1,
      runsEveryMinute: true,
      run: queueDue,
    },
  ];
  const jobs: JobQueue = await startJobQueue({ ...options, kinds: definitions });
  let pushTimer: NodeJS.Timeout | undefined;
  let stopped = false;
  return {
    askToConfirm:
      mailer === undefined ? undefined : (tx, ask) => queueConfirmationEmail(tx, jobs, { site, ...ask }),
    accountEmails: mailer && createAccountEmails(jobs),
    followDeparture: createAccountDeletionQueue(jobs),
    webPushSender,
    moderation: {
      queueWork: (tx) => queueModerationJob(tx, jobs),
      queueEmail:
        mailer === undefined
          ? undefined
          : (tx, notice) => queueModeratorMessageEmail(tx, { jobs, site, notice }),
    },
    onEvents(events) {
      if (events.some(({ event }) => event.kind === 'notified')) schedulePush();
      // What fails is done by the next minute's round.
      if (mailer !== undefined && !stopped && hasSecurityEvent(events))
        void queueSecurityEmails(db, jobs, { site }).catch(() => {});
    },
    enqueueDueJobs: queueDue,
    jobs,
    async stop() {
      stopped = true;
      clearTimeout(pushTimer);
      await jobs.stop();
      await mailer?.stop();
    },
  };

  async function queueDue(): Promise<void> {
    await queuePushes(db, jobs);
    await queueAccountDeletions(db, jobs);
    if (mailer !== undefined) {
      await queueDueEmails(db, jobs);
      await queueSecurityEmails(db, jobs, { site });
    }
    await dropExpiredEmails(db, log);
    await deleteOldSecurityEvents(db, { isEmailEnabled: mailer !== undefined });
    await deleteOldRegistrations(db);
  }

  /** Once for all news of a few seconds; what fails is done by the next minute's round. */
  function schedulePush(): void {
    pushTimer ??= setTimeout(
      () => {
        pushTimer = undefined;
        void queuePushes(db, jobs).catch(() => {});
      },
      (pushDelaySeconds + 1) * 1_000,
    ).unref();
  }
}

/** Whom push services may write to (RFC 8292, section 2.1): the site, or the sender of its mails. */
function pushContact({ publicUrl }: SiteSettings, from: string | undefined): string {
  if (publicUrl?.startsWith('https:') === true) return publicUrl;
  const address = /<([^<>]+)>$/.exec(from ?? '')?.[1] ?? from;
  return `mailto:${address ?? 'nobody@localhost'}`;
}
