import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { transaction } from '#server/core/database.ts';
import { apiScope } from '#shared/integrations/api-tokens.ts';
import { programOf } from '#tests/support/api-tokens.ts';
import { setRole } from '#server/admin/roles.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import type { ReviewQueue, ReportState } from '#shared/moderation/moderation.ts';
import { purgeDeletedPosts } from './moderation-job.ts';
import {
  actOnMember,
  actOnPost,
  report,
  getHiddenPosts,
  getModerationLog,
  getModeratorMessages,
  paths,
  getReviewQueue,
  type Kind,
  startModeration,
} from '#tests/support/moderation.ts';

// Bob and Eve are not moderators: tests check what they must not see and what must not affect them.
const { server, ann, bob, eve, moderator, other, community, thread } = await startModeration();

test('takes one report per member and post, shows it only to moderators, and lets the member change or withdraw it', async () => {
  const id = await ann.ask();
  expect(await report(bob, 'question', id)).toMatchObject({ body: { reason: 'spam', closed: false } });
  expect(await report(bob, 'question', id, 'rude')).toMatchObject({ body: { reason: 'rude' } });
  expect(await report(eve, 'question', id, 'other', ' A copy of my book. ')).toMatchObject({ status: 200 });
  expect(await getReviewQueue(moderator)).toMatchObject([
    {
      kind: 'question',
      postId: id,
      reportsCount: 2,
      authorName: 'Ann',
      notes: ['A copy of my book.'],
      reasons: [
        { reason: 'other', count: 1 },
        { reason: 'rude', count: 1 },
      ],
    },
  ]);
  expect(JSON.stringify(await getReviewQueue(moderator))).not.toContain('Bob');
  expect(await report(ann, 'question', id)).toMatchObject({ status: 403, kind: 'not-allowed' });
  expect(await report(bob, 'question', id, 'other')).toMatchObject({ status: 400 });
  expect(await report(bob, 'answer', 999_999)).toMatchObject({ status: 404 });
  await report(bob, 'question', id, null);
  await report(eve, 'question', id, null);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(expectOk(await bob.get<ReportState>(`/questions/${id}/report`))).toEqual({
    reason: null,
    closed: false,
  });
});

test('lets two members withdraw the last reports of a post at the same time', async () => {
  const id = await ann.ask();
  for (const member of [bob, eve]) expectOk(await report(member, 'question', id));
  // Both wait for the entry of the queue, each after its own report.
  const withdrawn = await transaction(server.db, async (tx) => {
    await sql`select from review_item where post_kind = 'question' and post_id = ${id} for update`.execute(
      tx,
    );
    const both = Promise.all([bob, eve].map((member) => report(member, 'question', id, null)));
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
      return rows.length === 2;
    });
    return [both];
  });
  expect((await withdrawn[0])?.map(({ status }) => status)).toEqual([200, 200]);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(expectOk(await bob.get<ReportState>(`/questions/${id}/report`)).reason).toBeNull();
});

test('responds 404 to members who are not moderators, except for the public log', async () => {
  const id = await ann.ask();
  for (const path of ['/moderation/queue', `/moderation/members/${ann.id}`])
    expect(await bob.get(path)).toMatchObject({ status: 404, kind: 'not-found' });
  expect(await actOnPost(bob, 'hide', 'question', id)).toMatchObject({ status: 404 });
  expect(await bob.post('/moderation/post-actions', { nonsense: true })).toMatchObject({ status: 404 });
  expect(await actOnMember(bob, 'warn', ann.id)).toMatchObject({ status: 404 });
  expect((await ann.read(id)).question.id).toBe(id);
});

test('lists the most reported post first, page by page', async () => {
  const ids = [await ann.ask(), await ann.ask(), await ann.ask()];
  const [few = 0, many = 0, some = 0] = ids;
  for (const member of [bob, eve, moderator]) await report(member, 'question', many);
  for (const member of [bob, eve]) await report(member, 'question', some);
  await report(bob, 'question', few);
  expect((await getReviewQueue(moderator)).map(({ postId }) => postId)).toEqual([many, some, few]);
  const [first] = await getReviewQueue(moderator);
  const cursor = Buffer.from(JSON.stringify([first?.reportsCount, first?.id])).toString('base64url');
  const rest = expectOk(await moderator.get<ReviewQueue>(`/moderation/queue?cursor=${cursor}`)).items;
  expect(rest.map(({ postId }) => postId)).toEqual([some, few]);
  for (const id of ids) expect((await actOnPost(moderator, 'dismiss', 'question', id)).status).toBe(204);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await report(bob, 'question', many)).toMatchObject({ body: { reason: null, closed: true } });
  expect(await getReviewQueue(moderator)).toEqual([]);
});

test('lets one of two moderators who decide at the same time act, and names that one to the other', async () => {
  const id = await ann.ask();
  await report(bob, 'question', id);
  const [place] = await getReviewQueue(moderator);
  const both = await Promise.all([
    actOnPost(moderator, 'hide', 'question', id, { queueItemId: place?.id }),
    actOnPost(other, 'dismiss', 'question', id, { queueItemId: place?.id }),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
  const late = both.find(({ status }) => status === 409);
  expect(late).toMatchObject({ kind: 'already-handled', detail: expect.stringMatching(/^(Olga|Otto) has /) });
});

test.each<Kind>(['question', 'answer', 'reply'])(
  'shows a hidden %s to no one else, and restores it exactly as it was',
  async (kind) => {
    const all = await thread();
    const post = { question: all.id, answer: all.answer.id, reply: all.reply.id }[kind];
    const author = { question: ann, answer: bob, reply: eve }[kind];
    const words = {
      question: `Buy zeppelins ${all.mark} here`,
      answer: `Zeppelins ${all.mark} were`,
      reply: `They float ${all.mark}`,
    }[kind];
    await report(moderator, kind, post);
    const before = await community();
    const { hiddenPosts, unreadModeratorMessages } = await author.me();
    expect(await actOnPost(moderator, 'hide', kind, post)).toMatchObject({ status: 204 });
    expect(await getReviewQueue(moderator)).toEqual([]);
    expect(await findViolations(server.db)).toEqual([]);
    for (const member of [ann, bob, eve, moderator])
      for (const path of [
        `/questions/${all.id}`,
        '/feeds/recent',
        '/search?q=zeppelins',
        '/search?q=zeppelins&in=answers',
        `/members/${author.id}/questions`,
        `/members/${author.id}/answers`,
        '/tags/zeppelin/questions',
        '/notifications',
        '/bookmarks',
        '/following/questions',
      ])
        expect(JSON.stringify((await member.get(path)).body)).not.toContain(words);
    expect((await ann.get(`/questions/${all.id}`)).status).toBe(kind === 'question' ? 404 : 200);
    const stranger = kind === 'answer' ? eve : bob;
    const strangers = await stranger.get(`/questions/${all.id}/hidden`);
    expect(strangers).toMatchObject(
      kind === 'question' ? { status: 404, kind: 'not-found' } : { status: 200, body: { items: [] } },
    );
    expect(await getHiddenPosts(author, all.id)).toMatchObject([
      { kind, postId: post, status: 'hidden', reason: 'It is an advertisement.' },
    ]);
    expect((await getHiddenPosts(moderator, all.id))[0]?.content).toContain(words);
    expect(await author.me()).toMatchObject({
      hiddenPosts: hiddenPosts + 1,
      unreadModeratorMessages: unreadModeratorMessages + 1,
    });
    const notice = (await getModeratorMessages(author)).at(-1);
    expect(notice).toMatchObject({ kind: 'hidden', reason: 'It is an advertisement.' });
    expect((await author.put('/moderator-messages/seen', { upTo: notice?.id })).status).toBe(204);
    expect((await author.me()).unreadModeratorMessages).toBe(0);
    expect((await stranger.delete(`/${paths[kind]}/${post}`)).status).toBe(404);
    expect(await actOnPost(other, 'restore', kind, post)).toMatchObject({ status: 204 });
    expect(await community()).toEqual(before);
    expect(await findViolations(server.db)).toEqual([]);
    expect(await actOnPost(moderator, 'restore', kind, post)).toMatchObject({
      status: 409,
      kind: 'already-handled',
    });
  },
);

test('restores a reply below the placeholders that were deleted with it', async () => {
  const { id, answer, reply, below, mark } = await thread();
  await actOnPost(moderator, 'hide', 'reply', reply.id);
  await actOnPost(moderator, 'hide', 'reply', below.id);
  expect((await ann.read(id)).answers.items[0]?.replies.items).toEqual([]);
  await actOnPost(moderator, 'restore', 'reply', below.id);
  const replies = async () => (await ann.read(id)).answers.items[0]?.replies.items;
  expect(await replies()).toMatchObject([{ id: reply.id, deleted: true, content: '' }, { id: below.id }]);
  expect(await findViolations(server.db)).toEqual([]);
  await actOnPost(moderator, 'restore', 'reply', reply.id);
  expect(await replies()).toMatchObject([{ id: reply.id, content: `They float ${mark}.` }, { id: below.id }]);
  await actOnPost(moderator, 'hide', 'answer', answer.id);
  await actOnPost(moderator, 'hide', 'question', id);
  expect(await actOnPost(moderator, 'restore', 'answer', answer.id)).toMatchObject({ status: 404 });
  await actOnPost(moderator, 'restore', 'question', id);
  expect(await actOnPost(moderator, 'restore', 'answer', answer.id)).toMatchObject({ status: 204 });
  expect((await ann.read(id)).question.acceptedAnswerId).toBe(answer.id);
  expect(await findViolations(server.db)).toEqual([]);
});

test('hides a post deleted by a moderator from its author too, restores it within 30 days, and then deletes it', async () => {
  const { id, answer } = await thread();
  await actOnPost(moderator, 'delete', 'answer', answer.id);
  expect(await getHiddenPosts(bob, id)).toEqual([]);
  await purgeDeletedPosts(server.db);
  expect(await actOnPost(moderator, 'restore', 'answer', answer.id)).toMatchObject({ status: 204 });
  await actOnPost(moderator, 'delete', 'answer', answer.id);
  await sql`update hidden_post set purge_at = now() - interval '1 minute' where post_id = ${answer.id}`.execute(
    server.db,
  );
  await purgeDeletedPosts(server.db);
  expect(await getHiddenPosts(moderator, id)).toEqual([]);
  expect(await actOnPost(moderator, 'restore', 'answer', answer.id)).toMatchObject({ status: 409 });
  expect((await getModerationLog(moderator))[0]).toMatchObject({
    action: 'purge',
    moderatorName: null,
    restorable: null,
  });
});

test('deletes the hidden posts of a question that its author deletes', async () => {
  const { id, answer } = await thread();
  await actOnPost(moderator, 'hide', 'answer', answer.id);
  await ann.remove('questions', id);
  expect(await actOnPost(moderator, 'restore', 'answer', answer.id)).toMatchObject({ status: 409 });
  expect(await findViolations(server.db)).toEqual([]);
});

test('refuses posts, edits and votes in a locked question until it is unlocked', async () => {
  const { id, answer, reply } = await thread();
  expect((await actOnPost(moderator, 'lock', 'answer', answer.id, { reason: 'Cooling down.' })).status).toBe(
    204,
  );
  expect((await bob.read(id)).question.lockReason).toBe('Cooling down.');
  const refused = [
    await eve.post(`/questions/${id}/answers`, { content: 'More.' }),
    await eve.post(`/answers/${answer.id}/replies`, { content: 'More.', parentReplyId: null }),
    await eve.post(`/questions/${id}/replies`, { content: 'More.', parentReplyId: null }),
    await ann.put(`/questions/${id}`, { title: 'Other', content: 'Other.', tags: [] }),
    await bob.put(`/answers/${answer.id}`, { content: 'Other.' }),
    await eve.put(`/replies/${reply.id}`, { content: 'Other.' }),
    await eve.put(`/questions/${id}/vote`, { vote: 'up' }),
    await eve.put(`/answers/${answer.id}/vote`, { vote: null }),
    await bob.put(`/replies/${reply.id}/vote`, { vote: 'up' }),
  ];
  for (const response of refused)
    expect(response).toMatchObject({
      status: 403,
      kind: 'locked',
      detail: 'This question is locked: Cooling down.',
    });
  expect(await actOnPost(other, 'lock', 'question', id)).toMatchObject({ status: 409 });
  expect((await actOnPost(other, 'unlock', 'question', id)).status).toBe(204);
  await eve.vote('questions', id, 'up');
  await eve.answer(id);
});

test('shows a question as a duplicate on its page and in lists, and keeps its answers', async () => {
  const first = await ann.ask({ title: 'Asked first?' });
  const { id } = await thread();
  expect((await actOnPost(moderator, 'duplicate', 'question', id, { duplicateOf: first })).status).toBe(204);
  const page = await bob.read(id);
  expect(page.question.duplicateOf).toBe(first);
  expect(page.answers.items).toHaveLength(1);
  const card = async () => (await bob.feed('recent')).items.find((each) => each.id === id);
  expect(await card()).toMatchObject({ duplicate: true });
  for (const duplicateOf of [id, 999_999, null])
    expect(await actOnPost(moderator, 'duplicate', 'question', first, { duplicateOf })).toMatchObject({
      status: 400,
    });
  await actOnPost(moderator, 'hide', 'question', first);
  expect((await bob.read(id)).question.duplicateOf).toBeNull();
  await actOnPost(moderator, 'restore', 'question', first);
  expect(await card()).toMatchObject({ duplicate: true });
  await ann.remove('questions', first);
  expect(await card()).toMatchObject({ duplicate: false });
});

test("shows a moderator's program the log as members see it", async () => {
  await actOnMember(moderator, 'warn', eve.id);
  const [own] = await getModerationLog(moderator);
  expect(own).toMatchObject({ action: 'warn', moderatorName: moderator.name, memberId: eve.id });
  const log = await getModerationLog(bob);
  expect(log[0]).toMatchObject({ id: own?.id, moderatorName: null, memberId: null });
  for (const scopes of [['read'], apiScope.options] as const)
    expect(await getModerationLog(await programOf(moderator, scopes))).toEqual(log);
});

test('shows actions and reasons in the log to every member, moderators only to moderators, and never reporters or hidden texts', async () => {
  const id = await ann.ask({ title: 'Secret title', content: 'Secret text.' });
  await report(bob, 'question', id, 'other', 'Told in confidence.');
  await actOnPost(moderator, 'hide', 'question', id);
  const [entry] = await getModerationLog(eve);
  expect(entry).toMatchObject({
    action: 'hide',
    reason: 'It is an advertisement.',
    postKind: 'question',
    questionId: null,
    moderatorName: null,
    memberName: null,
    before: null,
    restorable: null,
  });
  for (const member of [eve, moderator]) {
    const text = JSON.stringify((await getModerationLog(member))[0]);
    for (const word of ['Secret', 'Bob', 'confidence']) expect(text).not.toContain(word);
  }
  expect((await getModerationLog(moderator))[0]).toMatchObject({
    moderatorName: 'Olga',
    memberName: 'Ann',
    before: { reportsCount: 1 },
    restorable: { kind: 'question', id },
  });
});

test('leaves reports of a post of a moderator to other moderators, whatever the author decides', async () => {
  const [id, original] = [await moderator.ask(), await ann.ask()];
  const act = async (by: Member, action: string, more: object = {}) =>
    (await actOnPost(by, action, 'question', id, more)).code ?? 'done';
  const vote = (draft: object) => moderator.put(`/questions/${id}/close-votes`, draft);
  const waits = async () => (await getReviewQueue(other)).some((item) => item.postId === id);
  expectOk(await report(bob, 'question', id));
  for (const action of ['lock', 'unlock']) expect(await act(moderator, action)).toBe('done');
  expect(await act(moderator, 'duplicate', { duplicateOf: original })).toBe('done');
  expect(await act(moderator, 'not_duplicate')).toBe('done');
  expectOk(await vote({ vote: 'close', duplicateOf: original }));
  expectOk(await vote({ vote: 'reopen' }));
  expect(await waits()).toBe(true);
  // Also if the own objection is declined meanwhile.
  expect(await act(moderator, 'delete')).toBe('done');
  expect(await act(moderator, 'restore')).toBe('own-post-decision');
  const [removed] = await getHiddenPosts(moderator, id);
  expectOk(await moderator.put(`/hidden-posts/${removed?.id}/objection`, { text: 'It is fine.' }));
  expect(await act(moderator, 'decline_objection')).toBe('done');
  expect(await act(moderator, 'restore')).toBe('own-post-decision');
  expect(await act(other, 'restore')).toBe('done');
  expectOk(await report(eve, 'question', id));
  expect(await act(other, 'lock')).toBe('done');
  expect(await waits()).toBe(false);
});

test('leaves it to other moderators to keep a post of a moderator, if there are others', async () => {
  const id = await moderator.ask();
  const act = async (by: Member, action: string) =>
    (await actOnPost(by, action, 'question', id)).code ?? 'done';
  expectOk(await report(bob, 'question', id));
  expect(await act(moderator, 'dismiss')).toBe('own-post-decision');
  expect(await act(other, 'dismiss')).toBe('done');
  expect([await act(other, 'hide'), await act(moderator, 'restore')]).toEqual(['done', 'own-post-decision']);
  expect(await act(other, 'restore')).toBe('done');
  // What the moderator removed, the moderator can restore.
  expect([await act(moderator, 'hide'), await act(moderator, 'restore')]).toEqual(['done', 'done']);
  await sql`
    insert into review_item (post_kind, post_id, open_reports, other_cause)
    values ('question', ${id}, 0, 'first_post')`.execute(server.db);
  expect(await act(moderator, 'approve')).toBe('own-post-decision');
  await setRole(server.db, { email: other.email, role: 'member' });
  onTestFinished(async () => {
    await setRole(server.db, { email: other.email, role: 'moderator' });
  });
  expect(await act(moderator, 'approve')).toBe('done');
  expectOk(await report(eve, 'question', id));
  expect(await act(moderator, 'dismiss')).toBe('done');
});
