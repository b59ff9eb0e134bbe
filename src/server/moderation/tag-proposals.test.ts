import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { SettingName, SettingValues } from '#shared/core/setting-catalogue.ts';
import type { ReviewHistory, ReviewItem, ReviewQueue } from '#shared/moderation/moderation.ts';
import type { TagRules } from '#shared/posts/tag-rules.ts';
import type { Question } from '#shared/posts/questions.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import {
  actOnPost,
  getModerationLog,
  getModeratorMessages,
  getReviewQueue,
  startModeration,
} from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { applyTagProposals, closeOutdatedProposals } from '#server/posts/index.ts';

const { server, ann, bob, eve, moderator, other } = await startModeration();
await moderator.ask({ tags: ['sourdough-starter', 'flour'] });
await setSetting('tagCreation', 'moderators');
await setSetting('tagProposalsPerDay', 100);

async function setSetting<Name extends SettingName>(name: Name, value: SettingValues[Name]): Promise<void> {
  await setSiteSetting(server.db, name, value);
  await server.siteSettings.refresh();
}

/** Members have read their messages. */
beforeEach(async () => {
  await sql`update moderator_message set seen_at = now()`.execute(server.db);
});

type Proposed = { name: string; reason?: string };
const question = { title: 'How sour?', content: 'Very.', tags: ['flour'] };

/** Asks a question with proposed tags. Returns its id. */
async function propose(member: Member, ...proposedTags: Proposed[]): Promise<number> {
  return expectOk(await member.post<{ id: number }>('/questions', { ...question, proposedTags })).id;
}

async function tagsOf(id: number): Promise<string[]> {
  return expectOk(await ann.get<{ question: Question }>(`/questions/${id}`)).question.tags;
}

const findItem = async (name: string): Promise<ReviewItem> => {
  const items = (await getReviewQueue(moderator)).filter(({ tagProposal }) => tagProposal?.name === name);
  if (items[0] === undefined || items.length > 1) throw new Error(`${items.length} proposals of '${name}'`);
  return items[0];
};
const decide = (by: Member, { tagProposal }: ReviewItem, decision: object) =>
  by.put(`/moderation/tag-proposals/${tagProposal?.id}/decision`, decision);
const refusal = ({ status, errors }: { status: number; errors?: readonly { code?: string }[] | undefined }) =>
  `${status} ${errors?.map(({ code }) => code).join() ?? ''}`;

test('queues a proposed tag of several members once, with reasons, questions and similar tags', async () => {
  const first = await propose(ann, { name: '#Sourdough', reason: 'Many questions are about it.' });
  expect(await tagsOf(first)).toEqual(['flour']);
  const second = await propose(bob, { name: 'sourdough' }, { name: 'rye' });
  const item = await findItem('Sourdough');
  expect(item).toMatchObject({
    cause: 'tag_proposal',
    kind: 'question',
    postId: first,
    questionId: first,
    title: question.title,
    reportsCount: 0,
    spamEstimate: null,
    tagProposal: {
      name: 'Sourdough',
      questionsCount: 2,
      questions: [
        { id: first, memberName: 'Ann', reason: 'Many questions are about it.' },
        { id: second, memberName: 'Bob', reason: '' },
      ],
      similar: [{ name: 'sourdough-starter', questionsCount: 1 }],
    },
  });
  const queue = await moderator.get<ReviewQueue>('/moderation/queue?cause=tag_proposal');
  expect(expectOk(queue).items.map(({ tagProposal }) => tagProposal?.name)).toEqual(['rye', 'Sourdough']);
  // A report of the same question is an entry of its own.
  expectOk(await eve.put(`/questions/${first}/report`, { reason: 'spam', note: '' }));
  expect((await getReviewQueue(moderator)).map(({ cause }) => cause)).toEqual([
    'report',
    'tag_proposal',
    'tag_proposal',
  ]);
  await actOnPost(moderator, 'dismiss', 'question', first);
  expect(await findViolations(server.db)).toEqual([]);
});

test('approving creates the tag, puts it on the questions, and tells each author once', async () => {
  const [one, two] = [await propose(ann, { name: 'proofing' }), await propose(ann, { name: 'Proofing' })];
  const full = await propose(bob, { name: 'proofing' });
  const five = ['flour', 'sourdough-starter', ...(await addTags('salt', 'water', 'oven'))];
  expectOk(await bob.put(`/questions/${full}`, { ...question, tags: five }));
  const gone = await propose(eve, { name: 'proofing' });
  await eve.delete(`/questions/${gone}`);
  expect((await decide(moderator, await findItem('proofing'), { decision: 'approve' })).status).toBe(204);
  // What half a second was too short for.
  await applyTagProposals(server.db, Date.now() + 10_000);
  expect([await tagsOf(one), await tagsOf(two)]).toEqual([
    ['flour', 'proofing'],
    ['flour', 'proofing'],
  ]);
  expect(await tagsOf(full)).toEqual(five);
  const message = { kind: 'tag_approved', tag: { name: 'proofing', synonymOf: null }, title: question.title };
  expect(await getModeratorMessages(ann)).toMatchObject([message]);
  expect(await getModeratorMessages(bob)).toMatchObject([message]);
  expect(await getModeratorMessages(eve)).toEqual([]);
  expect((await getModerationLog(moderator))[0]).toMatchObject({
    action: 'approve_tag',
    subject: 'proofing',
    moderatorName: 'Olga',
  });
  expect(await findViolations(server.db)).toEqual([]);
});

test('a synonym gives the questions the existing tag', async () => {
  const id = await propose(ann, { name: 'leaven' });
  const item = await findItem('leaven');
  const wrong = await decide(moderator, item, { decision: 'synonym', synonymOf: 'nothing' });
  expect(refusal(wrong)).toBe('404 tag-not-found');
  const chosen = { decision: 'synonym', synonymOf: 'Sourdough-starter' };
  expect((await decide(moderator, item, chosen)).status).toBe(204);
  expect(await tagsOf(id)).toEqual(['flour', 'sourdough-starter']);
  expect(await getModeratorMessages(ann)).toMatchObject([
    { kind: 'tag_synonym', tag: { name: 'leaven', synonymOf: 'sourdough-starter' } },
  ]);
  expect(await tagsOf(await bob.ask({ tags: ['Leaven'] }))).toEqual(['sourdough-starter']);
  expect(await findViolations(server.db)).toEqual([]);
});

test('a rejection needs a reason, which the author reads, and the next proposal of the name shows it', async () => {
  const id = await propose(ann, { name: 'yummy' });
  const item = await findItem('yummy');
  expect(refusal(await decide(moderator, item, { decision: 'reject' }))).toBe('400 reason-required');
  expect(refusal(await decide(bob, item, { decision: 'reject', reason: 'No.' }))).toBe('404 ');
  const reason = 'Tags say what a question is about.';
  expect((await decide(moderator, item, { decision: 'reject', reason })).status).toBe(204);
  expect(await getModeratorMessages(ann)).toMatchObject([{ kind: 'tag_rejected', reason }]);
  const readEntry = async (viewer: Member) => (await getModerationLog(viewer))[0];
  expect(await readEntry(moderator)).toMatchObject({ action: 'reject_tag', subject: item.tagProposal?.name });
  // Members never saw the name.
  expect(await readEntry(eve)).toMatchObject({ action: 'reject_tag', subject: null, reason });
  expect(await tagsOf(id)).toEqual(['flour']);
  expect(await other.put(`/moderation/queue/${item.id}/claim`, {})).toMatchObject({ status: 409 });
  expect(await decide(other, item, { decision: 'approve' })).toMatchObject({ status: 409 });
  expect(await tagsNamed('yummy')).toEqual([]);
  await propose(bob, { name: 'Yummy' });
  const again = await findItem('Yummy');
  const history = expectOk(await moderator.get<ReviewHistory>(`/moderation/queue/${again.id}/history`));
  expect(history.items).toMatchObject([{ action: 'reject_tag', reason, moderatorName: 'Olga' }]);
  expect((await decide(moderator, again, { decision: 'reject', reason })).status).toBe(204);
});

test('another moderator can take over a claimed proposal, and cannot decide it before', async () => {
  await propose(ann, { name: 'scoring' });
  const item = await findItem('scoring');
  expect((await moderator.put(`/moderation/queue/${item.id}/claim`, { takeOver: false })).status).toBe(204);
  expect(await findItem('scoring')).toMatchObject({ claim: { name: 'Olga' } });
  expect(await decide(other, item, { decision: 'approve' })).toMatchObject({ status: 409 });
  expect(await tagsNamed('scoring')).toEqual([]);
  expect((await other.put(`/moderation/queue/${item.id}/claim`, { takeOver: true })).status).toBe(204);
  expect((await decide(other, item, { decision: 'approve' })).status).toBe(204);
});

test('a tag that someone creates meanwhile closes its proposal as approved', async () => {
  const id = await propose(ann, { name: 'steam' });
  await moderator.ask({ tags: ['Steam'] });
  await expect(findItem('steam')).rejects.toThrow("0 proposals of 'steam'");
  await applyTagProposals(server.db, Date.now() + 10_000);
  expect(await tagsOf(id)).toEqual(['flour', 'Steam']);
  expect(await getModeratorMessages(ann)).toMatchObject([{ kind: 'tag_approved', tag: { name: 'steam' } }]);
  // By a synonym, and at the same moment as the decision of a moderator.
  await propose(ann, { name: 'vapour' });
  expectOk(await moderator.put('/moderation/tags/steam/synonyms/vapour'));
  await closeOutdatedProposals(server.db);
  await expect(findItem('vapour')).rejects.toThrow("0 proposals of 'vapour'");
  for (const name of ['baguette', 'brioche', 'bagel', 'pretzel']) {
    const proposed = await propose(ann, { name });
    const item = await findItem(name);
    const [decided] = await Promise.all([
      decide(moderator, item, { decision: 'approve' }),
      other.ask({ tags: [name] }),
    ]);
    expect([204, 409]).toContain(decided.status);
    await applyTagProposals(server.db, Date.now() + 10_000);
    expect(await tagsOf(proposed)).toEqual(['flour', name]);
  }
  expect(await findViolations(server.db)).toEqual([]);
});

test('deleting the last question of a proposal withdraws it, and hiding it takes it out of the queue until it is restored', async () => {
  const deleted = await propose(ann, { name: 'crust' });
  const hidden = await propose(bob, { name: 'crust' });
  await ann.delete(`/questions/${deleted}`);
  expect(await findItem('crust')).toMatchObject({ postId: hidden, tagProposal: { questionsCount: 1 } });
  await actOnPost(moderator, 'hide', 'question', hidden);
  await expect(findItem('crust')).rejects.toThrow("0 proposals of 'crust'");
  expect(await findViolations(server.db)).toEqual([]);
  expectOk(await actOnPost(moderator, 'restore', 'question', hidden));
  expect(await findItem('crust')).toMatchObject({ postId: hidden, tagProposal: { questionsCount: 1 } });
  expect(await findViolations(server.db)).toEqual([]);
  await bob.delete(`/questions/${hidden}`);
  await expect(findItem('crust')).rejects.toThrow("0 proposals of 'crust'");
  expect(await findViolations(server.db)).toEqual([]);
});

test('an edit proposes tags, also without another change, and again changes nothing', async () => {
  const id = await ann.ask({ ...question, tags: ['flour'] });
  const edit = { ...question, proposedTags: [{ name: 'crumb', reason: 'The inside.' }] };
  expectOk(await ann.put(`/questions/${id}`, edit));
  expectOk(await ann.put(`/questions/${id}`, { ...edit, content: 'Changed.' }));
  const item = await findItem('crumb');
  expect(item.tagProposal?.questions).toMatchObject([{ id, reason: 'The inside.' }]);
  expect((await decide(moderator, item, { decision: 'approve' })).status).toBe(204);
  expect(await tagsOf(id)).toEqual(['flour', 'crumb']);
});

test('proposals have the rules of tags, and a limit per day', async () => {
  const rules = async (member: Member) => expectOk(await member.get<TagRules>('/tag-rules'));
  expect(await rules(bob)).toMatchObject({ canCreate: false, canPropose: true });
  expect(await rules(moderator)).toMatchObject({ canCreate: true, canPropose: false });
  const send = async (member: Member, tags: string[], ...proposedTags: Proposed[]) =>
    refusal(await member.post('/questions', { ...question, tags, proposedTags }));
  expect(await send(bob, [], { name: 'x'.repeat(36) })).toBe('400 tag-too-long');
  expect(await send(bob, [], { name: 'a, b' })).toBe('400 tag-name-not-valid');
  expect(await send(bob, [], { name: ' # ' })).toBe('400 tag-name-not-valid');
  expect(await send(bob, [], { name: 'a', reason: 'x'.repeat(201) })).toBe('400 text-too-long');
  const four = ['flour', 'salt', 'water', 'oven'];
  expect(await send(bob, four, { name: 'a' }, { name: 'b' })).toBe('400 too-many-tags');
  // Who proposes what exists, or may create it, gets it at once.
  const existing = await propose(bob, { name: 'LEAVEN' });
  expect(await tagsOf(existing)).toEqual(['flour', 'sourdough-starter']);
  const created = await propose(moderator, { name: 'kneading' });
  expect(await tagsOf(created)).toEqual(['flour', 'kneading']);
  const kim = await server.register('Kim');
  await setSetting('tagProposalsPerDay', 2);
  const id = await propose(kim, { name: 'gluten' });
  expect(await send(kim, [], { name: 'bran' }, { name: 'germ' })).toBe('429 ');
  await propose(kim, { name: 'bran' });
  expect(await send(kim, [], { name: 'germ' })).toBe('429 ');
  expectOk(
    await kim.put(`/questions/${id}`, { ...question, content: 'Again.', proposedTags: [{ name: 'gluten' }] }),
  );
  await setSetting('tagProposalsPerDay', 0);
  expect(await rules(bob)).toMatchObject({ canPropose: false });
  expect(await send(bob, [], { name: 'germ' })).toBe('400 new-tag-by-moderators');
  await setSetting('tagProposalsPerDay', 100);
});

test('a held question proposes its tags once it is approved', async () => {
  await setSetting('holdForApproval', true);
  await setSetting('reviewFirstPosts', 5);
  const nora = await server.register('Nora');
  const proposedTags = [{ name: 'spelt', reason: 'A grain.' }];
  const { id } = expectOk(await nora.post<{ id: number }>('/questions', { ...question, proposedTags }));
  await expect(findItem('spelt')).rejects.toThrow("0 proposals of 'spelt'");
  expect((await actOnPost(moderator, 'approve', 'question', id)).status).toBe(204);
  expect(await findItem('spelt')).toMatchObject({
    postId: id,
    tagProposal: { questions: [{ reason: 'A grain.', memberName: 'Nora' }] },
  });
  expect(await tagsOf(id)).toEqual(['flour']);
  await setSetting('holdForApproval', false);
  await setSetting('reviewFirstPosts', 0);
});

test('moderators are notified of a proposal, and no longer once none waits', async () => {
  for (const item of await getReviewQueue(moderator))
    await (item.tagProposal === null
      ? actOnPost(moderator, 'approve', 'question', item.postId)
      : decide(moderator, item, { decision: 'reject', reason: 'Not needed.' }));
  expect(await getReviewQueue(moderator)).toEqual([]);
  await sql`update notification set created_at = created_at - interval '1 day'`.execute(server.db);
  const unread = async () => expectOk(await other.get<{ unreadCount: number }>('/notifications')).unreadCount;
  expect(await unread()).toBe(0);
  await propose(ann, { name: 'malt' });
  await eventually(async () => (await unread()) === 1);
  await decide(moderator, await findItem('malt'), { decision: 'approve' });
  await eventually(async () => (await unread()) === 0);

  const id = await propose(ann, { name: 'millet' });
  expect((await actOnPost(moderator, 'hide', 'question', id)).status).toBe(204);
  await eventually(async () => (await unread()) === 0);
  await sql`update notification set created_at = created_at - interval '1 day'`.execute(server.db);
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  await eventually(async () => (await unread()) === 1);
  await decide(moderator, await findItem('millet'), { decision: 'approve' });
  await eventually(async () => (await unread()) === 0);
});

async function addTags(...names: string[]): Promise<string[]> {
  await moderator.ask({ tags: names });
  return names;
}

async function tagsNamed(key: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from tag where key = ${key}`.execute(server.db);
  return rows.map(({ name }) => name);
}

test('a question that was hidden during the decision gets the tag when it is restored', async () => {
  const [shown, hidden] = [await propose(ann, { name: 'amylase' }), await propose(bob, { name: 'amylase' })];
  expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
  expect((await decide(other, await findItem('amylase'), { decision: 'approve' })).status).toBe(204);
  expect(await tagsOf(shown)).toEqual(['flour', 'amylase']);
  await applyTagProposals(server.db, Date.now() + 10_000);
  expect((await getModeratorMessages(bob)).filter(({ kind }) => kind === 'tag_approved')).toEqual([]);
  expectOk(await actOnPost(moderator, 'restore', 'question', hidden));
  await applyTagProposals(server.db, Date.now() + 10_000);
  expect(await tagsOf(hidden)).toEqual(['flour', 'amylase']);
  expect(await getModeratorMessages(bob)).toContainEqual(
    expect.objectContaining({ kind: 'tag_approved', title: question.title }),
  );
  expect(await findViolations(server.db)).toEqual([]);
});
