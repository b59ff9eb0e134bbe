import { existsSync } from 'node:fs';
import { getScheduledBackupStatus } from './backup-scheduler.ts';
import type { Config } from '#server/core/config.ts';
import type { Database } from '#server/core/database.ts';
import { createMailer } from '#server/core/email.ts';
import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';
import { checkDisk } from './doctor-check-host.ts';
import { type Finding, createFinding, formatMegabytes, okFinding } from './doctor-findings.ts';
import { getOldestEventAgeMinutes, listJobQueues } from './doctor-queries.ts';

/** The stream of events is pruned by every node: what is old means that none does. */
export async function checkEventStream(db: Database): Promise<Finding> {
  const minutes = await getOldestEventAgeMinutes(db);
  if (minutes === null || minutes < 90) return okFinding('stream', 'The stream of events is pruned.');
  return createFinding('stream')(
    'warning',
    `The oldest event of the stream is ${Math.round(minutes)} minutes old.`,
    'Events go after an hour; those that stay mean that no node runs, or that it cannot write.',
    'Where Parley runs, look at its log.',
  );
}

export async function checkJobs(db: Database): Promise<Finding[]> {
  const found = createFinding('jobs');
  const kinds = await listJobQueues(db);
  if (kinds === null)
    return [
      found(
        'hint',
        'No Parley has served on this database yet.',
        'Jobs are set up by the first.',
        'Start it: npm start',
      ),
    ];
  const findings = kinds.flatMap(({ kind, late, failed }) => [
    ...(late > 0
      ? [
          found(
            'warning',
            `${late} jobs of the kind '${kind}' should have begun a quarter of an hour ago.`,
            'What they do is not done.',
            'Start a Parley with the same settings; mails need SMTP_URL.',
          ),
        ]
      : []),
    ...(failed > 0
      ? [
          found(
            'warning',
            `${failed} jobs of the kind '${kind}' have failed and are tried again.`,
            'Mails and pushes come late.',
            "Look at the log for 'A job of the kind', and at the mail server.",
          ),
        ]
      : []),
  ]);
  return findings.length === 0 ? [okFinding('jobs', 'No job is late, and none has failed.')] : findings;
}

/** Connects and signs in to the mail server. @param mailTo gets a mail as well */
export async function checkEmail(config: Config, mailTo: string | undefined): Promise<Finding[]> {
  const { email } = config;
  const found = createFinding('mail');
  if (email === undefined)
    return mailTo === undefined
      ? []
      : [
          found(
            'problem',
            'No mail can be sent: SMTP_URL is not set.',
            'You asked for one.',
            'Set SMTP_URL, MAIL_FROM and PUBLIC_URL',
          ),
        ];
  const mailer = createMailer(email);
  try {
    await mailer.check();
    if (mailTo === undefined)
      return [okFinding('mail', 'The mail server takes connections and the password.')];
    const text = 'This is the mail that parley doctor was asked to send. Parley can send mails.\n';
    await mailer.send({
      to: mailTo,
      subject: 'Parley can send mails',
      text,
      html: `<p>${text}</p>`,
      id: `doctor-${Date.now()}`,
    });
    return [okFinding('mail', 'The mail server has taken a mail over.')];
  } catch (error) {
    const code = getErrorCode(error);
    const reason = code === 'EAUTH' ? 'it refuses the user or the password' : getErrorMessage(error);
    return [
      found(
        'problem',
        `The mail server does not work: ${reason}${code === undefined ? '' : ` (${code})`}.`,
        'Mails wait for three days, and are dropped then.',
        'Look at SMTP_URL, and at the log of the mail server.',
      ),
    ];
  } finally {
    await mailer.stop();
  }
}

const hourMs = 60 * 60_000;

/** How old the last good backup is, and whether the next one has room. */
export async function checkBackups({ backups: plan, nodeName }: Config, db: Database): Promise<Finding[]> {
  if (plan === undefined) return [];
  const found = createFinding('backups');
  const { now, lastSuccess, lastSuccessFile, lastSuccessBytes, lastSuccessNode, lastVerified, problem } =
    await getScheduledBackupStatus(db);
  const findings: Finding[] = [
    await checkDisk('The folder of backups', plan.directory, 1.2 * lastSuccessBytes),
  ];
  const why = 'What was written since would be lost with the disk.';
  if (lastSuccess === null)
    findings.push(
      found(
        'problem',
        'There is no good backup yet.',
        why,
        "Start Parley, and look in its log for 'backup'.",
      ),
    );
  else {
    const hours = (now.getTime() - lastSuccess.getTime()) / hourMs;
    const summary = `The last good backup is ${hours.toFixed(1)} hours old (${lastSuccessFile}, ${formatMegabytes(lastSuccessBytes)}).`;
    if (hours > 26) findings.push(found('problem', summary, why, "Look in the log for 'The backup failed'."));
    else if (lastSuccessNode === nodeName && lastSuccessFile !== null && !existsSync(lastSuccessFile))
      findings.push(
        found(
          'problem',
          `${lastSuccessFile} is not there any more.`,
          why,
          'Look who removed it, and make another: parley backup',
        ),
      );
    else findings.push(okFinding('backups', summary));
    if (
      plan.scratchDirectory !== undefined &&
      now.getTime() - (lastVerified?.getTime() ?? 0) > 8 * 24 * hourMs
    )
      findings.push(
        found(
          'warning',
          'No backup has been restored and compared for more than a week.',
          'Whether they are whole is not known.',
          `parley verify ${lastSuccessFile ?? 'FILE'}`,
        ),
      );
  }
  if (problem !== null)
    findings.push(
      found(
        'problem',
        `The last try at a backup: ${problem}`,
        why,
        'Put that right; it is tried again by itself.',
      ),
    );
  return findings;
}
