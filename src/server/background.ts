import type { Logger } from 'pino';
import type pg from 'pg';
import { accountMailJob, type AccountMails, queueAccountMails } from './accounts/account-mails.ts';
import { forgetOldRegistrations } from './accounts/registrations.ts';
import { forgetOldSecurityEvents, hasSecurityNews, queueSecurityMails } from './accounts/security-events.ts';
import {
  departureJob,
  followDepartures,
  type FollowDeparture,
  queueDepartures,
} from './departures/departures.ts';
import { createDelivery, forgetOld, mailJobs, queueConfirmation, queueMails } from './mailing/mailing.ts';
import { careJob, workSoon } from './care/jobs.ts';
import type { CareDeps } from './care/members.ts';
import { mailNotice } from './care/notices.ts';
import type { Database } from './platform/database.ts';
import type { StreamedEvent } from './platform/events.ts';
import { type JobKind, type Jobs, startJobs } from './platform/jobs/jobs.ts';
import { createMailer } from './platform/mail/mailer.ts';
import { createPusher, knownPushServices, type Pusher, sharedPushKeys } from './platform/push/push.ts';
import type { Settings } from './platform/settings.ts';
import type { AskToConfirm } from './preferences/preferences.ts';
import { pushDelay, pushJob, queuePushes } from './pushing/pushing.ts';
import { knownJob } from './search/known.ts';
import { sumsJob } from './sums/sums.ts';

export type BackgroundOptions = {
  db: Database;
  connection: pg.PoolConfig;
  settings: Settings;
  /** Absent: nothing is mailed. */
  mail: { url: string; from: string } | undefined;
  log: Logger;
  /** Push services beside the known ones. */
  pushServices?: readonly string[];
  /** How often a node looks for jobs, and for those whose node died, in seconds. */
  lookSeconds?: number;
  recoverSeconds?: number;
  /** False: nothing is done every minute (jobs.ts). */
  rounds?: boolean;
};

/** What a node does that nobody waits for. */
export type Background = {
  askToConfirm: AskToConfirm | undefined;
  /** Absent where nothing is mailed. */
  accountMails: AccountMails | undefined;
  followDeparture: FollowDeparture;
  pusher: Pusher;
  /** What follows from what operators do. */
  care: CareDeps;
  /** Told of what happened, it pushes soon. */
  onEvents: (events: readonly StreamedEvent[]) => void;
  /** Queues what is due now; the nodes do it every minute by themselves. */
  queueDue: () => Promise<void>;
  jobs: Pick<Jobs, 'counts' | 'failures'>;
  stop: () => Promise<void>;
};

/** Starts every kind of job, listed here by hand. */
export async function startBackground(options: BackgroundOptions): Promise<Background> {
  const { db, settings, mail, log, pushServices = [] } = options;
  const site = settings.publicUrl ?? '';
  const pusher = createPusher({
    keys: await sharedPushKeys(db),
    contact: contactOf(settings, mail?.from),
    services: [...knownPushServices, ...pushServices],
  });
  const mailer = mail === undefined ? undefined : createMailer(mail);
  const deliver = mailer && createDelivery({ mailer, log });
  const kinds: JobKind[] = [
    pushJob({ db, pusher, log }),
    knownJob(db),
    sumsJob(db),
    careJob(db),
    departureJob({ db, log }),
    ...(deliver === undefined
      ? []
      : [...mailJobs({ db, settings, site, deliver, log }), accountMailJob({ db, site, deliver })]),
    {
      name: 'due',
      retries: { limit: 0, seconds: 1, most: 1 },
      seconds: 50,
      atOnce: 1,
      everyMinute: true,
      work: queueDue,
    },
  ];
  const jobs: Jobs = await startJobs({ ...options, kinds });
  let pushing: NodeJS.Timeout | undefined;
  let stopped = false;
  return {
    askToConfirm:
      mailer === undefined ? undefined : (tx, ask) => queueConfirmation(tx, jobs, { site, ...ask }),
    accountMails: mailer && queueAccountMails(jobs),
    followDeparture: followDepartures(jobs),
    pusher,
    care: {
      work: (tx) => workSoon(tx, jobs),
      mail: mailer === undefined ? undefined : (tx, notice) => mailNotice(tx, { jobs, site, notice }),
    },
    onEvents(events) {
      if (events.some(({ event }) => event.kind === 'notified')) pushSoon();
      // What fails is done by the next minute's round.
      if (mailer !== undefined && !stopped && hasSecurityNews(events))
        void queueSecurityMails(db, jobs, { site }).catch(() => {});
    },
    queueDue,
    jobs,
    async stop() {
      stopped = true;
      clearTimeout(pushing);
      await jobs.stop();
      await mailer?.stop();
    },
  };

  async function queueDue(): Promise<void> {
    await queuePushes(db, jobs);
    await queueDepartures(db, jobs);
    if (mailer !== undefined) {
      await queueMails(db, jobs);
      await queueSecurityMails(db, jobs, { site });
    }
    await forgetOld(db, log);
    await forgetOldSecurityEvents(db, { mails: mailer !== undefined });
    await forgetOldRegistrations(db);
  }

  /** Once for all news of a few seconds; what fails is done by the next minute's round. */
  function pushSoon(): void {
    pushing ??= setTimeout(
      () => {
        pushing = undefined;
        void queuePushes(db, jobs).catch(() => {});
      },
      (pushDelay + 1) * 1_000,
    ).unref();
  }
}

/** Whom push services may write to (RFC 8292, section 2.1): the site, or the sender of its mails. */
function contactOf({ publicUrl }: Settings, from: string | undefined): string {
  if (publicUrl?.startsWith('https:') === true) return publicUrl;
  const address = /<([^<>]+)>$/.exec(from ?? '')?.[1] ?? from;
  return `mailto:${address ?? 'nobody@localhost'}`;
}
