import { createHash } from 'node:crypto';
import type { Database } from '#server/core/database.ts';
import type { EmailMessage } from '#server/core/mailer.ts';
import { runLimitedProcess } from '#server/core/limited-process.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { CodedError } from '#shared/errors.ts';
import { limits } from '#shared/core/limits.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { BounceMessage } from './email-bounce-message.ts';
import { takeBounceReport } from './email-bounces.ts';
import { createEmailPostingToken } from './email-posting-token.ts';
import { isReplyToken, parseReplyAddress, type RepliedPost } from './email-replies-address.ts';
import { pictureMark, type ReplyMessage } from './email-replies-message.ts';
import { hasPrivatePart } from './email-replies-quotes.ts';
import { findReplyPlace, type ReplyPlace } from './email-replies-queries.ts';
import { buildRefusedReplyEmail, type EmailSite, inLanguage } from './email-templates.ts';
import { findConfirmedEmail } from './preferences.ts';
import { translate, translateError } from './sent-texts.ts';

export type ReplyDeps = {
  db: Database;
  secret: string;
  /** EMAIL_FROM. */
  sender: string;
  /** REPLY_ADDRESS. Undefined: replies are ignored. */
  replyAddress: string | undefined;
  /** BOUNCE_ADDRESS. Undefined: reports of failed deliveries are ignored. */
  bounceAddress: string | undefined;
  /** Where a node serves the API, such as 'http://127.0.0.1:3000'. */
  server: string;
  /** Sends a request to that address. By default over the network. */
  fetchApi?: (request: Request) => Response | Promise<Response>;
  site: EmailSite;
  /** Sends the email that says why a reply was refused. */
  send: (message: EmailMessage) => Promise<unknown>;
};

/**
 * What became of an email: 'held' waits for a moderator. 'bounced': it is a report of a failed delivery, which was
 * counted; 'bounced-off': it switched emails to the member off. 'ignored': it is neither a reply nor a report of this
 * site. 'unreadable': reading it took too much time or memory.
 */
export type ReceivedEffect =
  | 'posted'
  | 'held'
  | 'refused'
  | 'bounced'
  | 'bounced-off'
  | 'ignored'
  | 'unreadable';
type ReplyEffect = Extract<ReceivedEffect, 'posted' | 'held' | 'refused'>;

/** What reading one email may take. Hostile texts keep the patterns for quoted emails busy for minutes. */
const readingLimits = { maxMs: 10_000, maxMemory: 500_000_000 };

/** The server cannot post the email now. */
export class ReplyNotPostedError extends Error {}

/** Why an email is refused: an error of the API, or a text of `email.refused-reply.*`. */
type Refusal = CodedError | 'sender' | 'empty' | 'private';

/** The confirmed address of a member. */
type Recipient = { email: string; language: string | null };

/**
 * Takes an email that arrived at a reply address or a bounce address. Counts a report of a failed delivery
 * (docs/decisions/089). Posts every other email that arrived at a reply address, in the name of the member who got the
 * email with that address. The sender must be the confirmed address of the member. The API checks everything as for a
 * request of the member. The Message-ID makes a repetition harmless. If the reply is refused, the member gets an email
 * with the reason and the text.
 * @param email.recipients further addresses to which the message was delivered
 * @throws ReplyNotPostedError if the mail server should try again; also if the refusal cannot be sent
 */
export async function takeReceivedMessage(
  deps: ReplyDeps,
  { raw, recipients = [] }: { raw: Uint8Array; recipients?: readonly string[] },
): Promise<ReceivedEffect> {
  const { db, secret, sender, replyAddress, bounceAddress } = deps;
  const program = new URL('email-replies-program.ts', import.meta.url);
  const read = await runLimitedProcess<Received>(program, { raw, sender }, readingLimits);
  if (read === null) return 'unreadable';
  const { message, report } = read;
  if (report !== null && bounceAddress !== undefined)
    return bounceEffects[await takeBounceReport(db, { secret, bounceAddress }, { report, recipients })];
  if (message === null || replyAddress === undefined) return 'ignored';
  for (const recipient of [...recipients, ...message.recipients]) {
    const address = parseReplyAddress(replyAddress, recipient);
    const member = address === null ? undefined : await findConfirmedEmail(db, address.memberId);
    if (address === null || member === undefined) continue;
    if (!isReplyToken(secret, { token: address.token, email: member.email })) continue;
    return postMessage(deps, { ...address, member, message });
  }
  return 'ignored';
}

/** An email as a process of its own read it. A report is no message of a person. */
type Received = { message: ReplyMessage | null; report: BounceMessage | null };

const bounceEffects = { off: 'bounced-off', counted: 'bounced', ignored: 'ignored' } as const;

type Taken = { memberId: number; member: Recipient; post: RepliedPost; token: string; message: ReplyMessage };

async function postMessage(deps: ReplyDeps, taken: Taken): Promise<ReplyEffect> {
  const { member, message, post, memberId } = taken;
  const place = await findReplyPlace(deps.db, { post, maxLevel: limits.replyLevel - 1 });
  const refuse = async (reason: Refusal): Promise<ReplyEffect> => {
    await sendRefusal(deps, { taken, reason, place });
    return 'refused';
  };
  if (message.from !== member.email.toLowerCase()) return refuse('sender');
  if (place === undefined) return refuse({ code: `${post.kind}-not-found` as const });
  if (message.text === '') return refuse('empty');
  const signedAddresses = [deps.replyAddress, deps.bounceAddress].filter((address) => address !== undefined);
  if (hasPrivatePart(message.text, { email: member.email, signedAddresses })) return refuse('private');
  const api = createApiCaller(deps, createEmailPostingToken(deps.secret, memberId));
  let content = message.text;
  for (const [index, { bytes, description }] of message.pictures.entries()) {
    const upload = await api('/uploads', { body: bytes, type: 'application/octet-stream' });
    if (upload.status !== 201) return refuse(readProblem(upload));
    content = content.replace(pictureMark(index), () => `![${description}](${String(upload.body['path'])})`);
  }
  const response = await api(toPath(post, place), {
    body: JSON.stringify({ content, ...(post.kind === 'reply' && { parentReplyId: place.parentReplyId }) }),
    type: 'application/json',
    key: createKey(taken),
  });
  if (response.status === 201) return 'posted';
  return response.status === 202 ? 'held' : refuse(readProblem(response));
}

function toPath(post: RepliedPost, { questionId, answerId }: ReplyPlace): string {
  if (post.kind === 'question') return `/questions/${questionId}/answers`;
  return answerId === null ? `/questions/${questionId}/replies` : `/answers/${answerId}/replies`;
}

/** The same for every delivery of one email. */
const createKey = ({ token, message }: Taken): string =>
  `email-${createHash('sha256')
    .update(JSON.stringify([token, message.messageId, message.messageId === '' ? message.text : '']))
    .digest('hex')
    .slice(0, 40)}`;

type ApiResponse = { status: number; body: Readonly<Record<string, unknown>> };

function createApiCaller({ server, fetchApi = fetch }: ReplyDeps, token: string) {
  return async (
    path: string,
    { body, type, key }: { body: string | Uint8Array; type: string; key?: string },
  ): Promise<ApiResponse> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const request = new Request(`${server}/api${path}`, {
      method: 'POST',
      headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(60_000),
    });
    const response = await Promise.resolve(fetchApi(request)).catch((error: unknown) => {
      throw new ReplyNotPostedError(`${server} does not respond.`, { cause: error });
    });
    const { status } = response;
    if (status === 429 || status >= 500 || status === 401)
      throw new ReplyNotPostedError(`${server} responded with status ${status}.`);
    return { status, body: (await response.json()) as ApiResponse['body'] };
  };
}

function readProblem({ body }: ApiResponse): Refusal {
  const { code, params } = body as CodedError;
  return { code, ...(params !== undefined && { params }) };
}

/**
 * Someone who got hold of a forwarded email cannot fill the mailbox of its recipient. Emails from other senders count
 * separately, so that the member gets the own texts back.
 */
const refusalsPerDay = 10;

/** How much of a refused text its author gets back, in characters. */
const maxReturnedText = 30_000;

async function sendRefusal(
  { db, site: look, send }: ReplyDeps,
  { taken, reason, place }: { taken: Taken; reason: Refusal; place: ReplyPlace | undefined },
): Promise<void> {
  const { member, memberId, message } = taken;
  const limit = createMemberLimit(db, {
    name: reason === 'sender' ? 'refused-sender' : 'refused-reply',
    code: 'too-fast',
    points: refusalsPerDay,
    seconds: 24 * 60 * 60,
  });
  try {
    await limit(memberId);
  } catch (error) {
    if (error instanceof ProblemError) return;
    throw error;
  }
  const site = inLanguage(look, member.language);
  const content = buildRefusedReplyEmail({
    site,
    reason:
      typeof reason === 'string'
        ? translate(site.language, `email.refused-reply.${reason}`)
        : translateError(site.language, reason),
    question:
      place === undefined ? null : { title: place.title, path: questionPath(place.questionId, place.title) },
    // An email from another sender address may be forged, so its text is not sent back.
    text:
      reason === 'sender'
        ? ''
        : message.pictures
            .reduce((text, _, index) => text.replace(pictureMark(index), ''), message.text)
            .slice(0, maxReturnedText),
  });
  try {
    await send({ ...content, to: member.email, memberId, id: createKey(taken) });
  } catch (error) {
    throw new ReplyNotPostedError('The email about the refusal could not be sent.', { cause: error });
  }
}
