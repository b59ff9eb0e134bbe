import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import { sanitizeHeader } from '#server/core/mailer.ts';
import { signShortToken, verifyShortToken } from '#server/core/signed-tokens.ts';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import { countBounceDays, insertBounce, lockEmailOf, switchEmailOff } from './email-bounces-queries.ts';
import { type BounceMessage, parseBounceMessage } from './email-bounce-message.ts';

/** Temporary failures switch an address off if they happen on so many days of the last 14. */
const temporaryDays = 3;
const countedDays = 14;

/** How long after its sending an email can bounce. Mail servers give up after about five days. */
const validMs = 14 * 24 * 60 * 60 * 1_000;

export type Bounce = {
  memberId: number;
  /** Where the email went. A bounce of an earlier address of the member changes nothing. */
  email: string;
  /** As in '5.1.1' (RFC 3463), or a reply code such as '550'. */
  status: string;
  /** The words of the mail server. */
  explanation: string;
  /** Identifies the email. Its second bounce changes nothing. */
  key: string;
};

/** What a bounce has changed: 'off' if it switched the address off. */
export type BounceEffect = 'off' | 'counted' | 'ignored';

/** Counts a bounce, and switches the address of the member off after a permanent one or temporary ones on several days. */
export async function recordBounce(db: Database, bounce: Bounce): Promise<BounceEffect> {
  const { memberId, email, status, explanation, key } = bounce;
  const isPermanent = isPermanentFailure(status);
  const words = sanitizeHeader(explanation);
  const reason = truncateWithEllipsis(words === '' ? status : `${status} ${words}`, 300);
  return transaction(db, async (tx) => {
    const member = await lockEmailOf(tx, memberId);
    if (member === undefined || member.email !== email || member.isOff) return 'ignored';
    if (!(await insertBounce(tx, { memberId, email, isPermanent, reason, key }))) return 'ignored';
    const days = await countBounceDays(tx, { memberId, email, days: countedDays });
    if (!isPermanent && days < temporaryDays) return 'counted';
    await turnOff(tx, { memberId, reason });
    return 'off';
  });
}

async function turnOff(tx: Tx, off: { memberId: number; reason: string }): Promise<void> {
  await switchEmailOff(tx, off);
  await publish(tx, `member:${off.memberId}`, { kind: 'member-changed' });
}

/**
 * Whether the address does not exist or takes no email. Not for policies (5.7.x) and faults of mail servers (5.3.x,
 * 5.5.x), which may concern the sender or the content: they count as temporary.
 */
export function isPermanentFailure(status: string): boolean {
  return /^5\.(?:1\.(?![78]$)|2\.(?!2)|4\.4)/u.test(status) || /^55[013]$/u.test(status);
}

type Signing = { secret: string; bounceAddress: string };

/**
 * The sender address of one email (variable envelope return path), to which mail servers send bounces. It contains no
 * capital letters, because some of them change the case.
 * @param options.bounceAddress such as 'bounce@example.org'
 */
export function createBounceAddress(
  { secret, bounceAddress }: Signing,
  { memberId, email, sentAtMs }: { memberId: number; email: string; sentAtMs: number },
): string {
  const [local = '', host = ''] = bounceAddress.split('@');
  // The clock of the database can have fractions of milliseconds, which would add a point to the token.
  const claim = `${memberId.toString(36)}-${Math.trunc(sentAtMs).toString(36)}`;
  return `${local}+${signShortToken({ secret, purpose: getPurpose(email) }, claim)}@${host}`;
}

const getPurpose = (email: string) => `bounce ${email}`;

/**
 * Takes a message that arrived at a bounce address. Ignores everything except reports of failed delivery (RFC 3464) to
 * an address that this installation signed.
 * @param message.recipients further addresses to which the message was delivered
 */
export async function takeBounceMessage(
  db: Database,
  signing: Signing,
  { raw, recipients = [] }: { raw: Uint8Array; recipients?: readonly string[] },
): Promise<BounceEffect> {
  const report = await parseBounceMessage(raw);
  return report === null ? 'ignored' : takeBounceReport(db, signing, { report, recipients });
}

/** Counts a report of a failed delivery if it arrived at an address that this installation signed. */
export async function takeBounceReport(
  db: Database,
  signing: Signing,
  { report, recipients }: { report: BounceMessage; recipients: readonly string[] },
): Promise<BounceEffect> {
  for (const recipient of [...recipients, ...report.recipients]) {
    const sent = readBounceAddress(signing.bounceAddress, recipient);
    if (sent === null || Math.abs(databaseNowMs() - sent.sentAtMs) > validMs) continue;
    const member = await transaction(db, (tx) => lockEmailOf(tx, sent.memberId));
    if (member === undefined) continue;
    const { email } = member;
    if (verifyShortToken({ secret: signing.secret, purpose: getPurpose(email) }, sent.token) === null)
      continue;
    const { status, explanation } = report;
    return recordBounce(db, { memberId: sent.memberId, email, status, explanation, key: sent.token });
  }
  return 'ignored';
}

function readBounceAddress(bounceAddress: string, recipient: string) {
  const [local = '', host = ''] = bounceAddress.toLowerCase().split('@');
  const address = recipient.toLowerCase();
  if (!address.startsWith(`${local}+`) || !address.endsWith(`@${host}`)) return null;
  const token = address.slice(local.length + 1, -host.length - 1);
  const [, member, sentAt] = /^([\da-z]{1,11})-([\da-z]{1,9})\.[\da-f]+$/u.exec(token) ?? [];
  if (member === undefined || sentAt === undefined) return null;
  return { token, memberId: Number.parseInt(member, 36), sentAtMs: Number.parseInt(sentAt, 36) };
}
