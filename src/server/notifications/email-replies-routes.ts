import { createHash, timingSafeEqual } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import pLimit from 'p-limit';
import { overloadedError, ProblemError } from '#server/core/errors.ts';
import {
  createRouter,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type VisitorEnv,
} from '#server/core/http.ts';
import { getOrigin } from '#server/core/operator-settings.ts';
import { maxReplyBytes } from './email-command.ts';
import { ReplyNotPostedError, takeReceivedMessage } from './email-replies.ts';
import type { EmailSending } from './email.ts';

export type ReceivedEmailDeps = RouteDeps & {
  emailSending: EmailSending | null;
  /** Sends a request to the API of this server. */
  fetchApi: (request: Request) => Response | Promise<Response>;
};

/** The path below /api. */
const path = '/received-emails';

const example = [
  'From: Ann <ann@example.org>',
  'To: reply+1-a2-fp4.5d1c0a4b7e93f2b68c0de417@example.com',
  'Message-ID: <1@mail.example.org>',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Thank you!',
  '',
].join('\r\n');

// Not a zod schema: Hono would read the body to validate it.
const form = {
  schema: {
    type: 'object' as const,
    properties: {
      email: { type: 'string' as const, description: 'The email, as text or as a file (SendGrid)' },
      'body-mime': { type: 'string' as const, description: 'The email instead (Mailgun)' },
    },
  },
  example: { email: example },
};

const receive = createRoute({
  method: 'post',
  path,
  security: [{ replySecret: [] }],
  summary: 'Take an email that a mail provider received',
  description:
    'For mail providers that deliver emails by HTTP (docs/operating.md). Posts the reply of a member to an email of this ' +
    'site, and counts reports of failed deliveries, as `parley email reply` does. The secret is REPLY_SECRET, as a bearer ' +
    'token or as the password of HTTP Basic. The email (RFC 5322, at most 15 MB) is sent as it arrived: as the body, in a ' +
    'field of a form, or in a field of JSON. Other fields are ignored. An email that was posted is not posted again. Send ' +
    'it again after a response with status 503.',
  middleware: bodyLimit({
    // Escaped as JSON or encoded as a form, an email is a little longer.
    maxSize: 1.25 * maxReplyBytes,
    onError: () => {
      throw new ProblemError('request-too-large');
    },
  }),
  request: {
    body: {
      required: true,
      content: {
        'message/rfc822': { schema: { type: 'string' }, example },
        'multipart/form-data': form,
        'application/x-www-form-urlencoded': form,
        'application/json': {
          schema: {
            type: 'object',
            properties: { RawEmail: { type: 'string', description: 'Postmark' } },
            required: ['RawEmail'],
          },
          example: { RawEmail: example },
        },
      },
    },
  },
  responses: {
    200: jsonResponse(
      z.object({
        effect: z.enum(['posted', 'held', 'refused', 'bounced', 'bounced-off', 'ignored', 'unreadable']),
      }),
      'What became of the email. `held`: a moderator decides. `refused`: the member got an email with the reason. ' +
        '`bounced`: a failed delivery was counted. `bounced-off`: it also switched emails to the member off.',
    ),
    ...problemResponses,
  },
});

/** Emails that one node reads at a time, and that wait. Reading one can take 500 MB and ten seconds. */
const queueLimits = { concurrency: 2, waiting: 8 };

/** When a provider should try again, in seconds. */
const retryAfter = 60;

/** Emails that a mail provider delivers by HTTP. */
export function receivedEmailRoutes({
  db,
  settings,
  siteSettings,
  emailSending,
  fetchApi,
}: ReceivedEmailDeps) {
  const { replySecret } = emailSending ?? {};
  const queue = pLimit(queueLimits.concurrency);
  const router = createRouter<VisitorEnv>();
  // Before the limit of the body, which reads a body without a length completely.
  router.on('POST', path, async (c, next) => {
    if (!replySecret) throw new ProblemError('received-emails-disabled');
    if (!isSecret(replySecret, c.req.header('authorization')))
      throw new ProblemError('reply-secret-not-valid');
    if (queue.pendingCount >= queueLimits.waiting) throw overloadedError();
    await next();
  });
  return router.openapi(receive, async (c) => {
    if (emailSending === null) throw new ProblemError('received-emails-disabled');
    const raw = await readEmail(c.req.raw);
    if (raw.length > maxReplyBytes) throw new ProblemError('request-too-large');
    const deps = {
      db,
      secret: settings.secret,
      sender: emailSending.sender,
      replyAddress: emailSending.replyAddress ?? undefined,
      bounceAddress: emailSending.bounceAddress ?? undefined,
      server: 'http://localhost',
      fetchApi,
      site: {
        site: getOrigin(settings, new URL(c.req.url)),
        siteName: siteSettings.get('siteName'),
        accentColor: siteSettings.get('accentColor'),
        logo: siteSettings.get('logo'),
        language: siteSettings.get('language'),
      },
      send: emailSending.send,
    };
    try {
      return c.json({ effect: await queue(() => takeReceivedMessage(deps, { raw })) }, 200);
    } catch (error) {
      if (error instanceof ReplyNotPostedError) throw new ProblemError('busy', { retryAfter });
      throw error;
    }
  });
}

/** Compares in constant time. */
function isSecret(secret: string, authorization = ''): boolean {
  const [, scheme, value = ''] = /^(bearer|basic) +(\S+)$/iu.exec(authorization) ?? [];
  if (scheme === undefined) return false;
  const given =
    scheme.toLowerCase() === 'bearer'
      ? value
      : Buffer.from(value, 'base64')
          .toString()
          .replace(/^[^:]*:/u, '');
  return timingSafeEqual(digest(given), digest(secret));
}

/** A digest has a fixed length, as the constant-time comparison requires. */
const digest = (text: string) => createHash('sha256').update(text).digest();

/** The fields in which providers send the email as it arrived. */
const formFields = ['email', 'body-mime'] as const;

/** @throws ProblemError 'received-email-missing' */
async function readEmail(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? '';
  let email: unknown;
  if (/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/iu.test(type)) {
    const form = await request.formData().catch(() => null);
    const field = formFields.map((name) => form?.get(name) ?? null).find((value) => value !== null);
    email = field instanceof Blob ? await field.bytes() : field;
  } else if (/^application\/json\b/iu.test(type)) {
    const body: unknown = await request.json().catch(() => null);
    email = typeof body === 'object' && body !== null && 'RawEmail' in body ? body.RawEmail : null;
  } else email = new Uint8Array(await request.arrayBuffer());
  const bytes = typeof email === 'string' ? Buffer.from(email) : email;
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw new ProblemError('received-email-missing');
  return bytes;
}
