import { Command } from 'commander';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import type { SpamReplay } from './spam-replay.ts';
import { registerSpamCommands } from './spam-replay-command.ts';

const { server, moderator } = await startModeration();
const { db } = server;
const spammers: Member[] = [];
const experienced: Member[] = [];
for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) {
  experienced.push(await server.register(`Baker ${name}`));
  spammers.push(await server.register(`Seller ${name}`));
}

/** Spam posts, one a day, each deleted an hour later, and posts of members with standing from long before. */
const spamIds: number[] = [];
for (const member of experienced)
  for (let index = 0; index < 6; index += 1) {
    await server.resetRateLimits();
    await writeAt(member, `Why does my sourdough number ${index} need a warm place?`, 300 - index);
  }
await sql`
  update member set created_at = now() - make_interval(days => case when display_name like 'Seller%' then 100 else 400 end)`.execute(
  db,
);
for (let index = 0; index < 30; index += 1) {
  await server.resetRateLimits();
  const id = await writeAt(
    spammers[index % spammers.length] ?? moderator,
    `Cheap pills, order number ${index} at https://pills.example now.`,
    90 - index,
  );
  await actOnPost(moderator, 'spam', 'question', id, { reason: '' });
  spamIds.push(id);
}
await deleteHoursLater(1);
// The live classifier learned at the times of this test. The history has the times above.
await sql`delete from spam_training`.execute(db);

async function writeAt(member: Member, content: string, daysAgo: number): Promise<number> {
  const id = await member.ask({ title: content.slice(0, 40), content });
  await sql`
    update question set created_at = now() - make_interval(days => ${daysAgo}) where id = ${id}`.execute(db);
  return id;
}

async function deleteHoursLater(hours: number): Promise<void> {
  await sql`
    update hidden_post set created_at = (select created_at from base_question where id = post_id) + make_interval(hours => ${hours})`.execute(
    db,
  );
}

async function run(...parameters: string[]): Promise<string> {
  let out = '';
  const program = new Command('parley').exitOverride();
  registerSpamCommands(program, {
    withReader: (work) => work(db, null),
    out: { write: (text) => (out += text) },
    err: { write: () => {} },
  });
  await program.parseAsync(['spam', 'replay', ...parameters], { from: 'user' });
  return out;
}

const replay = async (...parameters: string[]) =>
  JSON.parse(await run('--json', ...parameters)) as SpamReplay;

const rowOf = ({ rows }: SpamReplay, heldBy: string, minProbability: number | null) =>
  rows.find((row) => row.heldBy === heldBy && row.minProbability === minProbability);

test('counts spam that the classifier would have held after it had learned enough, and nothing else', async () => {
  const found = await replay();
  expect(found).toMatchObject({
    judged: { spam: 30, others: 30, spamLater: 0 },
    leftOut: 0,
    learned: { spam: 30, needed: 20 },
    spamWithoutEstimate: 20,
    deletedSpam: 0,
  });
  expect(rowOf(found, 'classifier', 90)).toMatchObject({
    spam: 10,
    others: 0,
    missed: 20,
    precision: 1,
    recall: 1 / 3,
  });
  expect(rowOf(found, 'rules', null)).toMatchObject({ spam: 0, others: 0, missed: 30, precision: null });
});

test('is the same each time, and changes nothing', async () => {
  const snapshot = async () =>
    (await sql`select token, spam, ham from spam_token order by token`.execute(db)).rows;
  const before = await snapshot();
  const { until: _, ...first } = await replay();
  const { until: __, ...second } = await replay();
  expect(second).toEqual(first);
  expect(await snapshot()).toEqual(before);
});

test('learns spam when a moderator deleted it, not when it was written', async () => {
  await deleteHoursLater(24 * 60);
  const found = await replay();
  expect(found.spamWithoutEstimate).toBe(30);
  expect(rowOf(found, 'classifier', 50)).toMatchObject({ spam: 0, missed: 30, recall: 0 });
  await deleteHoursLater(1);
});

test('judges by the spam rules of today, and only posts since a time', async () => {
  await setSiteSetting(db, 'blockedDomains', ['pills.example']);
  await setSiteSetting(db, 'blockedWords', ['number 3']);
  const found = await replay();
  expect(rowOf(found, 'rules', null)).toMatchObject({ spam: 30, others: 5, missed: 0, recall: 1 });
  expect(rowOf(found, 'rules or classifier', 90)).toMatchObject({ spam: 30, others: 5 });
  const since = new Date(Date.now() - 70.5 * 86_400_000).toISOString();
  const late = await replay('--since', since);
  expect(late).toMatchObject({ since, judged: { spam: 10, others: 0 }, learned: { spam: 30 } });
  expect(rowOf(late, 'classifier', 90)).toMatchObject({ spam: 10, missed: 0 });
  await expect(run('--since', 'yesterday')).rejects.toThrow('Must be a time');
});

test('leaves out posts that were removed for another reason or are too recent, and counts spam that is gone', async () => {
  const [first = 0, second = 0] = spamIds;
  await sql`update hidden_post set reason = 'Off topic' where post_id = ${first}`.execute(db);
  await experienced[0]?.ask({ content: 'A new question.' });
  await sql`
    insert into spam_training (post_kind, post_id, is_spam, tokens) values ('answer', 999999, true, '{}')`.execute(
    db,
  );
  const found = await replay();
  expect(found).toMatchObject({ judged: { spam: 29, others: 30 }, leftOut: 2, deletedSpam: 1 });
  const text = await run();
  expect(text).toContain('59 first posts of members were judged: 29 spam, 30 others.');
  expect(text).toContain('Missing: 1 spam posts that were deleted permanently');
  expect(text).toMatch(/^rules or probability ≥ 90 % +29 +5 +0 +85.3 % +100.0 % +166.7$/mu);
  await sql`update hidden_post set reason = 'Spam' where post_id in (${first}, ${second})`.execute(db);
});

test('says that a history has too little for estimates', async () => {
  await sql`update hidden_post set reason = 'Off topic' where post_id = any(${spamIds.slice(10)})`.execute(
    db,
  );
  const text = await run();
  expect(text).toMatch(/The classifier learned 10 spam posts and \d+ others\./u);
  expect(text).not.toContain('probability ≥');
  expect(text).toContain('That is too little for estimates: it needs 20 of both.');
});
