import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '#server/core/database.ts';
import { createReplyAddress } from '#server/notifications/email-replies-address.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { createTestCluster } from '#tests/support/cluster.ts';
import { register } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { createSeededRandom } from '#tests/support/seeded-random.ts';
import { replyAddress } from '#tests/support/server-with-email.ts';

const secret = 'a-secret-for-the-signatures-of-this-test';
const replySecret = 'a-secret-that-only-the-provider-knows';
const env = {
  HOST: '127.0.0.1',
  RATE_LIMITS: 'off',
  SECRET: secret,
  PUBLIC_URL: 'http://ask.example.org',
  // No email is sent: nothing listens on this port.
  SMTP_URL: 'smtp://127.0.0.1:9',
  EMAIL_FROM: 'parley@example.org',
  REPLY_ADDRESS: replyAddress,
  REPLY_SECRET: replySecret,
};

/** Of each round: two are read at a time, the others wait. */
const emailsPerRound = 4;

const count = async (db: Database, table: 'upload' | 'reply' | 'answer') => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)}`.execute(db);
  return rows[0]?.count ?? 0;
};

const random = createSeededRandom(8);

/** When a node is killed: after some milliseconds, or when a table has another row. */
const moments = [
  ['while emails are read', random() * 300],
  ['when a picture is stored', 'upload'],
  ['when a comment is stored', 'reply'],
  ['when an answer is stored', 'answer'],
  ['at any time', random() * 3_000],
] as const;

test('an email that a killed node received is posted once when it is sent again', async () => {
  const { database, start } = await createTestCluster();
  const db = openDatabase({ connection: database.connection });
  const steady = start(env);
  const address = await steady.ready;
  const ann = await register(address, 'Ann');
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(db);
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
  const { email } = ann;

  const compose = async (post: { kind: 'question' | 'answer'; id: number }, name: string) => {
    const letters = post.kind === 'question' ? 29_000 : 900;
    const { message } = await transport.sendMail({
      from: email,
      to: createReplyAddress({ secret, replyAddress }, { memberId: ann.id, email, post }),
      text: `${name}: ${'grüße '.repeat(letters / 6)}`,
      messageId: `<${name}@mail.example.com>`,
      attachments: [
        {
          filename: 'crumb.png',
          content: Buffer.from(createPngPicture({ width: 600, height: 400 })),
        },
      ],
    });
    if (!Buffer.isBuffer(message)) throw new Error('not composed');
    return new Uint8Array(message);
  };

  for (const [moment, when] of moments) {
    await sql`delete from rate_limit`.execute(db);
    const victim = start(env);
    const there = await victim.ready;
    const questionId = await ann.ask();
    const answer = await ann.answer(questionId);
    const emails = await Promise.all(
      Array.from({ length: emailsPerRound }, (_, n) =>
        n % 2 === 0
          ? compose({ kind: 'answer', id: answer.id }, `comment${questionId}-${n}`)
          : compose({ kind: 'question', id: questionId }, `answer${questionId}-${n}`),
      ),
    );
    const before = typeof when === 'string' ? await count(db, when) : 0;
    const delivering = Promise.all(emails.map((raw) => deliverUntilSettled(there, raw)));
    if (typeof when === 'number') await delay(when);
    else while ((await count(db, when)) === before) await delay(5);
    victim.signal('SIGKILL');
    const first = await delivering;
    await victim.ended;
    // A provider repeats what was not acknowledged; here also what was.
    for (const raw of emails)
      expect([moment, await deliverUntilSettled(address, raw)]).toEqual([moment, 'posted']);

    const { rows } = await sql<{ content: string }>`
      select content from reply where answer_id = ${answer.id}
      union all select content from answer where question_id = ${questionId} and id <> ${answer.id}`.execute(
      db,
    );
    const names = rows.map(({ content }) => /^\w+-\d/u.exec(content)?.[0] ?? content);
    expect({ moment, first, names: new Set(names), posts: rows.length }).toEqual({
      moment,
      first,
      names: new Set(emails.map((_, n) => `${n % 2 === 0 ? 'comment' : 'answer'}${questionId}-${n}`)),
      posts: emails.length,
    });
    for (const { content } of rows) {
      const picture = /!\[crumb\]\((\/uploads\/[^)]+)\)$/u.exec(content)?.[1] ?? '';
      const { status, headers } = await fetch(`${address}${picture}`, { headers: cookiesOf(ann) });
      expect([picture, status, headers.get('content-type')]).toEqual([picture, 200, 'image/webp']);
    }
    expect([moment, await findViolations(db)]).toEqual([moment, []]);
  }
  // No upload has a part of its files only, and no claimed key is without its post.
  const { rows: halves } = await sql`
    select upload.name from upload
    where not exists (select from upload_file where upload_id = upload.id)
    union all select key from idempotency_key where post_id is null`.execute(db);
  expect(halves).toEqual([]);
  await eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
      db,
    );
    return rows.length === 0;
  });
  await db.destroy();
}, 600_000);

/** Returns the effect, the status of an error, or 'broken' for a connection that ended. */
async function deliver(address: string, raw: Uint8Array<ArrayBuffer>): Promise<string> {
  const response = await fetch(`${address}/api/received-emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${replySecret}`, 'content-type': 'message/rfc822' },
    body: raw,
  }).catch(() => null);
  const body: unknown = await response?.json().catch(() => null);
  if (typeof body !== 'object' || body === null) return 'broken';
  return 'effect' in body ? String(body.effect) : String(response?.status);
}

/** An overloaded node wants it later. */
async function deliverUntilSettled(address: string, raw: Uint8Array<ArrayBuffer>): Promise<string> {
  for (;;) {
    const effect = await deliver(address, raw);
    if (effect !== '503') return effect;
    await delay(500);
  }
}

const cookiesOf = ({ cookies }: { cookies: Map<string, string> }) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
});
