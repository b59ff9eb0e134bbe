import { existsSync } from 'node:fs';
import { type BackupStatus, getBackupStatus } from './backup-queries.ts';
import { listScheduledBackups } from './backup-scheduler.ts';
import { getExportStatus } from './export-queries.ts';
import type { BackupSchedule, Config } from '#server/core/config.ts';
import type { Database } from '#server/core/database.ts';
import { commandLines } from '#server/core/paths.ts';
import { createMailer } from '#server/core/mailer.ts';
import { createObjectStore } from '#server/core/object-store.ts';
import { countUploadFiles, findBucketOwner, ownerKey, probeObjectStore } from '#server/posts/index.ts';
import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';
import { checkDisk } from './doctor-check-host.ts';
import { type Finding, createFinding, formatMegabytes, okFinding } from './doctor-findings.ts';
import { getOldestEventAgeMinutes, type JobQueueState, listJobQueues } from './doctor-queries.ts';

/** Every node prunes the event stream, so old events mean that none does. */
export async function checkEventStream(db: Database): Promise<Finding> {
  const minutes = await getOldestEventAgeMinutes(db);
  if (minutes === null || minutes < 90) return okFinding('stream', 'The event stream is pruned.');
  return createFinding('stream')(
    'warning',
    `The oldest event is ${Math.round(minutes)} minutes old.`,
    'Nodes delete events after an hour. Older ones mean that no node runs, or that it cannot write.',
    'If Parley runs, check its log.',
  );
}

export async function checkJobs(db: Database): Promise<Finding[]> {
  const finding = createFinding('jobs');
  const kinds = await listJobQueues(db);
  if (kinds === null)
    return [
      finding(
        'hint',
        'No Parley has run on this database yet.',
        'The first one sets up the jobs.',
        `Start it: ${commandLines.start}`,
      ),
    ];
  const findings = kinds.flatMap((queue) => [...findJobProblems(queue)]);
  return findings.length === 0 ? [okFinding('jobs', 'No job is late, and none has failed.')] : findings;
}

function* findJobProblems({ kind, late, failed }: JobQueueState): Iterable<Finding> {
  const finding = createFinding('jobs');
  if (late > 0)
    yield finding(
      'warning',
      `${late} jobs of the kind '${kind}' should have started a quarter of an hour ago.`,
      'Their work is not done.',
      'Start a Parley server with the same settings; emails need SMTP_URL.',
    );
  if (failed > 0)
    yield finding(
      'warning',
      `${failed} jobs of the kind '${kind}' have failed and are being retried.`,
      'Emails and push messages are late.',
      "Look in the log for 'A job of the kind', and check the mail server.",
    );
}

/**
 * Connects and signs in to the mail server.
 * @param testEmail also sends an email to this address
 */
export async function checkEmail(config: Config, testEmail: string | undefined): Promise<Finding[]> {
  const { email } = config;
  const finding = createFinding('email');
  if (email === undefined)
    return testEmail === undefined
      ? []
      : [
          finding(
            'problem',
            'Emails cannot be sent: SMTP_URL is not set.',
            'You requested a test email.',
            'Set SMTP_URL, EMAIL_FROM and PUBLIC_URL',
          ),
        ];
  const mailer = createMailer(email);
  try {
    await mailer.check();
    if (testEmail === undefined)
      return [okFinding('email', 'The mail server accepts connections and the password.')];
    const text = 'This is the test email from parley doctor. Parley can send email.\n';
    await mailer.send({
      to: testEmail,
      subject: 'Parley can send email',
      text,
      html: `<p>${text}</p>`,
      id: `doctor-${Date.now()}`,
    });
    return [okFinding('email', 'The mail server has accepted an email.')];
  } catch (error) {
    const code = getErrorCode(error);
    const reason = code === 'EAUTH' ? 'it refuses the user or the password' : getErrorMessage(error);
    return [
      finding(
        'problem',
        `The mail server does not work: ${reason}${code === undefined ? '' : ` (${code})`}.`,
        'Emails wait for three days and are then dropped.',
        'Check SMTP_URL and the log of the mail server.',
      ),
    ];
  } finally {
    await mailer.stop();
  }
}

/** Writes, reads and deletes an object, and counts the files of pictures that are not where they belong. */
export async function checkPictureStore(
  { objectStore: settings, pictureStore }: Config,
  db: Database,
): Promise<Finding[]> {
  const finding = createFinding('pictures');
  const files = await countUploadFiles(db);
  if (settings === undefined)
    return files.objectStore === 0
      ? []
      : [
          finding(
            'problem',
            `${files.objectStore.toLocaleString('en')} files of pictures are in an object store, and S3_BUCKET is not set.`,
            'These pictures cannot be shown.',
            'Set the settings S3_… again. PICTURE_STORE=database then moves the files to the database.',
          ),
        ];
  const objectStore = createObjectStore(settings);
  let owner: Awaited<ReturnType<typeof findBucketOwner>>;
  try {
    await probeObjectStore(objectStore);
    owner = await findBucketOwner({ db, objectStore });
  } catch (error) {
    return [
      finding(
        'problem',
        `The object store does not work: ${getErrorMessage(error)}.`,
        'Pictures in it cannot be shown. New ones wait in the database.',
        'Check the settings S3_…, the rights of the key, and the service.',
      ),
    ];
  }
  if (owner === 'another database')
    return [
      finding(
        'warning',
        `The bucket ${settings.bucket} belongs to another database.`,
        'Pictures in it are shown. New ones stay in this database, and no object is deleted.',
        `If this database replaces the other one, stop the other one and delete the object ${settings.prefix}${ownerKey}. If it is a copy, set PICTURE_STORE=database and wait until all files are in the database; then give it a bucket of its own.`,
      ),
    ];
  const [there, waiting] =
    pictureStore === 's3' ? [files.objectStore, files.database] : [files.database, files.objectStore];
  const place = pictureStore === 's3' ? 'object store' : 'database';
  const text = `${there.toLocaleString('en')} files of pictures are in the ${place}, ${waiting.toLocaleString('en')} still have to be moved there.`;
  return [okFinding('pictures', text)];
}

const hourMs = 60 * 60_000;

/** Checks the age of the last successful backup and the space for the next one. */
export async function checkBackups({ backups, nodeName }: Config, db: Database): Promise<Finding[]> {
  if (backups === undefined) return [];
  const status = await getBackupStatus(db);
  return [
    await checkDisk('The backup directory', backups.directory, 1.2 * status.lastSuccessBytes),
    ...describeBackups(status, { ...backups, nodeName }),
    ...(await findBackupsOfOthers(backups, db)),
  ];
}

async function findBackupsOfOthers({ directory }: BackupSchedule, db: Database): Promise<Finding[]> {
  // `checkDisk` reports a missing directory.
  if (!existsSync(directory)) return [];
  const { others } = await listScheduledBackups(db, directory);
  if (others.length === 0) return [];
  return [
    createFinding('backups')(
      'hint',
      `${directory} has ${others.length} scheduled backups that this database did not make, the newest ${others.toSorted().at(-1)}.`,
      'They are from the time before a restore, or of another community. Parley never deletes them.',
      'Delete those that you no longer need.',
    ),
  ];
}

function* describeBackups(
  {
    now,
    lastSuccess,
    lastSuccessFile,
    lastSuccessBytes,
    lastSuccessNode,
    lastVerified,
    problem,
  }: BackupStatus,
  { nodeName, scratchDirectory }: BackupSchedule & { nodeName: string },
): Iterable<Finding> {
  const finding = createFinding('backups');
  const why = 'If the disk fails, everything written since is lost.';
  const hoursSince = (at: Date | null) => (now.getTime() - (at?.getTime() ?? 0)) / hourMs;
  if (lastSuccess === null)
    yield finding(
      'problem',
      'No backup has succeeded yet.',
      why,
      "Start Parley, and look in its log for 'backup'.",
    );
  else {
    const hours = hoursSince(lastSuccess);
    const summary = `The last successful backup is ${hours.toFixed(1)} hours old (${lastSuccessFile}, ${formatMegabytes(lastSuccessBytes)}).`;
    if (hours > 26) yield finding('problem', summary, why, "Look in the log for 'The backup failed'.");
    else if (lastSuccessNode === nodeName && lastSuccessFile !== null && !existsSync(lastSuccessFile))
      yield finding(
        'problem',
        `${lastSuccessFile} no longer exists.`,
        why,
        'Find out why it was removed, and make another: parley backup',
      );
    else yield okFinding('backups', summary);
    if (scratchDirectory !== undefined && hoursSince(lastVerified) > 8 * 24)
      yield finding(
        'warning',
        'No backup has been verified for more than a week.',
        'It is unknown whether they can be restored.',
        `parley verify ${lastSuccessFile ?? 'FILE'}`,
      );
  }
  if (problem !== null)
    yield finding(
      'problem',
      `The last backup failed: ${problem}`,
      why,
      'Fix the cause. The backup is retried automatically.',
    );
}

/** Checks the age of the last successful scheduled export. */
export async function checkExports({ exports }: Pick<Config, 'exports'>, db: Database): Promise<Finding[]> {
  if (exports === undefined) return [];
  const { now, lastSuccess, problem } = await getExportStatus(db);
  const finding = createFinding('exports');
  const why = 'Others get no new copy of the community.';
  const remedy = "Fix the cause. The export is retried every hour; the log has 'The export failed'.";
  if (problem !== null) return [finding('problem', `The last export failed: ${problem}`, why, remedy)];
  if (lastSuccess === null) {
    const start = "Start Parley, and look in its log for 'export'.";
    return [finding('warning', 'No export has succeeded yet.', why, start)];
  }
  const days = (now.getTime() - lastSuccess.getTime()) / (24 * hourMs);
  const summary = `The last successful export is ${days.toFixed(1)} days old.`;
  // An export that is due starts within a minute. A day is left for a node that was off.
  if (days > exports.days + 1)
    return [finding('problem', summary, why, 'Start Parley; it exports when it runs.')];
  return [okFinding('exports', summary)];
}
