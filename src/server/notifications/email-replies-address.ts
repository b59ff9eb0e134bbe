import { databaseNowMs } from '#server/core/database-clock.ts';
import { signShortToken, verifyShortToken } from '#server/core/signed-tokens.ts';
import type { PostKind } from '#shared/core/fields.ts';

/** How long an email can be replied to. */
const validDays = 90;
const dayMs = 24 * 60 * 60 * 1_000;

export type RepliedPost = { kind: PostKind; id: number };

/** The post that an email shows, and the member who received the email. */
export type ReplyAddress = { memberId: number; post: RepliedPost };

/** @param replyAddress REPLY_ADDRESS, such as 'reply@example.org' */
type Signing = { secret: string; replyAddress: string };

const letters = { question: 'q', answer: 'a', reply: 'r' } as const satisfies Record<PostKind, string>;
const kinds: Readonly<Record<string, PostKind>> = { q: 'question', a: 'answer', r: 'reply' };

/**
 * The `Reply-To` of one email: `reply+MEMBER-POST-DAY.SIGNATURE@example.org`. The signature covers the address of the
 * member, so an earlier address cannot post. The local part has at most 64 characters (RFC 5321, section 4.5.3.1) and no
 * capital letters, because some mail servers change the case.
 */
export function createReplyAddress(
  { secret, replyAddress }: Signing,
  { memberId, post, email }: ReplyAddress & { email: string },
): string {
  const [local = '', host = ''] = replyAddress.split('@');
  const day = Math.floor(databaseNowMs() / dayMs).toString(36);
  const claim = `${memberId.toString(36)}-${letters[post.kind]}${post.id.toString(36)}-${day}`;
  return `${local}+${signShortToken({ secret, purpose: getPurpose(email) }, claim)}@${host}`;
}

/** What an address says, without a check of its signature. Null for any other address, and for one that has expired. */
export function parseReplyAddress(
  replyAddress: string,
  recipient: string,
): (ReplyAddress & { token: string }) | null {
  const [local = '', host = ''] = replyAddress.toLowerCase().split('@');
  const address = recipient.toLowerCase();
  if (!address.startsWith(`${local}+`) || !address.endsWith(`@${host}`)) return null;
  const token = address.slice(local.length + 1, -host.length - 1);
  const parts = /^([\da-z]{1,9})-([qar])([\da-z]{1,10})-([\da-z]{1,5})\.[\da-f]+$/u.exec(token);
  const [, member = '', letter = '', id = '', day = ''] = parts ?? [];
  const kind = kinds[letter];
  const ageMs = databaseNowMs() - Number.parseInt(day, 36) * dayMs;
  // The clock of another machine may be ahead at midnight.
  if (kind === undefined || ageMs < -dayMs || ageMs > (validDays + 1) * dayMs) return null;
  return {
    token,
    memberId: Number.parseInt(member, 36),
    post: { kind, id: Number.parseInt(id, 36) },
  };
}

/** Whether this installation sent an email with the token to the address of the member. */
export function isReplyToken(secret: string, { token, email }: { token: string; email: string }): boolean {
  return verifyShortToken({ secret, purpose: getPurpose(email) }, token) !== null;
}

const getPurpose = (email: string) => `reply by email ${email}`;
