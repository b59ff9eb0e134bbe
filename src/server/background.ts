import type { Logger } from 'pino';
import type pg from 'pg';
import { createAccountEmailJob, type AccountEmails, createAccountEmails } from './accounts/account-mails.ts';
import { deleteOldRegistrations } from './accounts/registrations.ts';
import {
  deleteOldSecurityEvents,
  hasSecurityEvent,
  queueSecurityEmails,
} from './accounts/security-events.ts';
import {
  createAccountDeletionJob,
  createAccountDeletionQueue,
  type QueueAccountDeletion,
  queueAccountDeletions,
} from './departures/departures.ts';
import {
  createEmailDelivery,
  dropExpiredEmails,
  createEmailJobs,
  queueConfirmationEmail,
  queueDueEmails,
} from './mailing/mailing.ts';
import { createModerationJob, queueModerationJob } from './care/jobs.ts';
import type { ModerationDeps } from './care/members.ts';
import { queueModeratorMessageEmail } from './care/notices.ts';
import type { Database } from './platform/database.ts';
import type { TopicEvent } from './platform/events.ts';
import { type JobDefinition, type JobQueue, startJobQueue } from './platform/jobs/jobs.ts';
import { createMailer } from './platform/mail/mailer.ts';
import {
  createWebPushSender,
  defaultPushServices,
  type WebPushSender,
  getOrCreateVapidKeys,
} from './platform/push/push.ts';
import type { SiteSettings } from './platform/settings.ts';
import type { QueueConfirmationEmail } from './preferences/preferences.ts';
import { pushDelaySeconds, createPushJob, queuePushes } from './pushing/pushing.ts';
import { searchPopularityJob } from './search/known.ts';
import { statisticsJob } from './sums/sums.ts';

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
