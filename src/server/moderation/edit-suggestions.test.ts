import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { EditSuggestions, EditSuggestionTexts } from '#shared/moderation/edit-suggestions.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { RevisionsPage } from '#shared/posts/revisions.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import {
  actOnMember,
  actOnPost,
  getModerationLog,
  type Kind,
  paths,
  startModeration,
} from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { SettingName, SettingValues } from '#shared/core/setting-catalogue.ts';

const { server, ann, bob, eve, moderator, other, thread } = await startModeration();

async function setSetting<Name extends SettingName>(name: Name, value: SettingValues[Name]): Promise<void> {
  await setSiteSetting(server.db, name, value);
  await server.siteSettings.refresh();
}

const question = { title: 'Cheap zeppelins?', content: 'Where do I find them?', tags: ['zeppelins'] };
const better = { ...question, content: 'Where do I find them in Bremen?', summary: 'Names the town' };

const suggest = (member: Member, kind: Kind, id: number, body: object) =>
  member.post<{ id: number; status: string }>(`/${paths[kind]}/${id}/edit-suggestions`, body);
const list = async (member: Member, which = 'review') =>
  expectOk(await member.get<EditSuggestions>(`/edit-suggestions?list=${which}`)).items;
const read = async (member: Member, id: number) =>
  expectOk(await member.get<EditSuggestionTexts>(`/edit-suggestions/${id}`));
const decide = (member: Member, id: number, body: object) =>
  member.put(`/edit-suggestions/${id}/decision`, body);
const approve = async (member: Member, id: number, more: object = {}) =>
  decide(member, id, { decision: 'approve', basedOn: (await read(member, id)).editedAt, ...more });
const notificationsOf = async (member: Member) =>
  expectOk(await member.get<Notifications>('/notifications')).items.map(({ kind, link }) => ({ kind, link }));

async function suggested(member: Member, author: Member): Promise<{ id: number; questionId: number }> {
  const questionId = await author.ask(question);
  const { id } = expectOk(await suggest(member, 'question', questionId, better));
  return { id, questionId };
}

test('the author approves a suggested edit: its member is the editor of the version, and both are notified', async () => {
  const { id, questionId } = await suggested(bob, ann);
  expect((await ann.read(questionId)).question.content).toBe(question.content);
  expect(await list(eve)).toEqual([]);
  expect((await eve.get(`/edit-suggestions/${id}`)).status).toBe(404);
  expect((await decide(eve, id, { decision: 'approve' })).status).toBe(404);
  expect(await list(ann)).toMatchObject([
    { id, memberName: 'Bob', summary: 'Names the town', kind: 'question' },
  ]);
  expect(expectOk(await ann.get('/edit-suggestions/count'))).toEqual({ open: 1 });
  expect((await notificationsOf(ann))[0]).toEqual({ kind: 'edit_suggested', link: '/suggested-edits' });
  const both = await Promise.all([approve(ann, id), approve(moderator, id)]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
  const page = await ann.read(questionId);
  expect(page.question).toMatchObject({ content: better.content, authorId: ann.id, title: question.title });
  const { items } = expectOk(await eve.get<RevisionsPage>(`/questions/${questionId}/revisions`));
  expect(items).toMatchObject([
    { number: 2, editor: { id: bob.id, name: 'Bob', summary: 'Names the town' } },
    { number: 1, editor: null },
  ]);
  expect(['Ann', 'Olga']).toContain(items[0]?.editor?.approvedBy);
  expect((await notificationsOf(bob))[0]).toMatchObject({ kind: 'edit_approved' });
  expect(await list(ann)).toEqual([]);
  expect(await list(bob, 'own')).toMatchObject([{ id, status: 'approved' }]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('an edit by the author after an approved one is a version of its own', async () => {
  const { id, questionId } = await suggested(bob, ann);
  expect((await approve(ann, id)).status).toBe(204);
  expectOk(await ann.put(`/questions/${questionId}`, { ...question, content: 'Solved.' }));
  const { items } = expectOk(await eve.get<RevisionsPage>(`/questions/${questionId}/revisions`));
  expect(items.map(({ number, editor }) => [number, editor?.name ?? null])).toEqual([
    [3, null],
    [2, 'Bob'],
    [1, null],
  ]);
});

test.each<Kind>(['answer', 'reply'])(
  'a moderator approves an edit to %s with changes, and it is logged',
  async (kind) => {
    const all = await thread();
    const id = kind === 'answer' ? all.answer.id : all.reply.id;
    const author = kind === 'answer' ? bob : eve;
    const { id: suggestionId } = expectOk(
      await suggest(ann, kind, id, { content: 'Much better.', summary: 'Clearer' }),
    );
    expect(await list(author)).toMatchObject([{ id: suggestionId, kind, postId: id }]);
    const texts = { title: null, content: 'Best of all.', tags: null };
    expect((await approve(moderator, suggestionId, { texts: { ...texts, content: ' ' } })).status).toBe(400);
    expect((await approve(moderator, suggestionId, { texts })).status).toBe(204);
    const path = `/${paths[kind]}/${id}/revisions`;
    const { items } = expectOk(await ann.get<RevisionsPage>(path));
    expect(items[0]?.editor).toMatchObject({ name: 'Ann', approvedBy: 'Olga', changedOnApproval: true });
    expect(expectOk(await ann.get(`${path}/${items[0]?.number}`))).toMatchObject({ content: 'Best of all.' });
    expect((await getModerationLog(bob))[0]).toMatchObject({ action: 'approve_edit', postKind: kind });
    expect(await findViolations(server.db)).toEqual([]);
  },
);

test('a rejection needs a reason, which the member sees, and changes nothing', async () => {
  const { id, questionId } = await suggested(bob, ann);
  expect(await decide(ann, id, { decision: 'reject', reason: ' ' })).toMatchObject({
    code: 'reason-required',
  });
  expect((await decide(ann, id, { decision: 'reject', reason: 'I meant Kiel.' })).status).toBe(204);
  expect(await list(bob, 'own')).toMatchObject([{ id, status: 'rejected', reason: 'I meant Kiel.' }, {}, {}]);
  expect((await notificationsOf(bob))[0]).toEqual({
    kind: 'edit_rejected',
    link: '/suggested-edits?list=own',
  });
  expect((await ann.read(questionId)).question.editedAt).toBeNull();
  expect(await approve(moderator, id)).toMatchObject({ status: 409, code: 'suggestion-decided' });
});

test('merges an edit with later changes elsewhere in the text, and refuses it where both changed the same part', async () => {
  const content = 'One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.';
  const id = await ann.ask({ ...question, content });
  const suggestedContent = content.replace('Five', 'The fifth');
  const draft = { ...question, content: suggestedContent, summary: 'Wording' };
  const { id: suggestionId } = expectOk(await suggest(bob, 'question', id, draft));
  const shown = await read(ann, suggestionId);
  expectOk(
    await ann.put(`/questions/${id}`, {
      ...question,
      title: 'Zeppelins?',
      content: content.replace('One', 'First'),
    }),
  );
  const stale = await decide(ann, suggestionId, { decision: 'approve', basedOn: shown.editedAt });
  expect(stale).toMatchObject({ status: 409, kind: 'edit-conflict' });
  expect((await read(ann, suggestionId)).merged).toMatchObject({
    title: 'Zeppelins?',
    content: suggestedContent.replace('One', 'First'),
  });
  expectOk(await ann.put(`/questions/${id}`, { ...question, content: content.replace('Five', 'Last') }));
  expect((await read(ann, suggestionId)).merged).toBeNull();
  expect(await approve(ann, suggestionId)).toMatchObject({ status: 409, code: 'suggestion-conflict' });
  const texts = { title: 'Zeppelins?', content: 'Both.', tags: ['zeppelins'] };
  expect((await approve(ann, suggestionId, { texts })).status).toBe(204);
  expect((await ann.read(id)).question).toMatchObject({ title: 'Zeppelins?', content: 'Both.' });
});

test('refuses suggestions for own, locked, hidden and deleted posts, without a change or a summary, and by suspended members', async () => {
  const id = await ann.ask(question);
  expect(await suggest(ann, 'question', id, better)).toMatchObject({ code: 'own-post-suggestion' });
  expect(await suggest(bob, 'question', id, { ...question, summary: 'Nothing' })).toMatchObject({
    status: 400,
    code: 'suggestion-unchanged',
  });
  // A tag is shown as first written.
  expect(
    await suggest(bob, 'question', id, { ...question, tags: ['Zeppelins'], summary: 'Case' }),
  ).toMatchObject({
    status: 400,
    code: 'suggestion-unchanged',
  });
  expect((await suggest(bob, 'question', id, { ...better, summary: ' ' })).status).toBe(400);
  expect(
    (await suggest(bob, 'question', id, { ...better, basedOn: '2020-01-01T00:00:00.000Z' })).status,
  ).toBe(409);
  expect(
    (await actOnMember(moderator, 'suspend', eve.id, { until: '2099-01-01T00:00:00.000Z' })).status,
  ).toBe(204);
  expect(await suggest(eve, 'question', id, better)).toMatchObject({ status: 403, code: 'suspended' });
  expect((await actOnMember(moderator, 'lift_suspension', eve.id)).status).toBe(204);
  const { id: open } = expectOk(await suggest(bob, 'question', id, better));
  expect((await actOnPost(moderator, 'lock', 'question', id)).status).toBe(204);
  expect((await suggest(eve, 'question', id, better)).status).toBe(403);
  expect((await approve(ann, open)).status).toBe(403);
  expect(await list(ann)).toEqual([]);
  expect((await actOnPost(moderator, 'hide', 'question', id)).status).toBe(204);
  expect((await suggest(eve, 'question', id, better)).status).toBe(404);
  expect((await decide(moderator, open, { decision: 'reject', reason: 'No.' })).status).toBe(404);
  expect((await suggest(eve, 'question', 999_999, better)).status).toBe(404);
});

test('a member has one open suggestion per post and a limited number a day, and can withdraw it', async () => {
  const rose = await server.register('Rose');
  await setSetting('editSuggestionsPerDay', 2);
  const { id, questionId } = await suggested(rose, ann);
  expect(await suggest(rose, 'question', questionId, better)).toMatchObject({
    code: 'suggestion-open-already',
  });
  expect((await bob.delete(`/edit-suggestions/${id}`)).status).toBe(404);
  expect((await rose.delete(`/edit-suggestions/${id}`)).status).toBe(204);
  expect((await approve(ann, id)).status).toBe(409);
  const { id: second } = expectOk(await suggest(rose, 'question', questionId, better));
  const third = await suggest(rose, 'question', await ann.ask(question), better);
  expect(third).toMatchObject({ status: 429, code: 'too-many-suggestions' });
  await setSetting('editSuggestionsPerDay', 0);
  expect(await suggest(bob, 'question', questionId, better)).toMatchObject({ code: 'edit-suggestions-off' });
  await setSetting('editSuggestionsPerDay', 20);
  expect((await rose.delete(`/edit-suggestions/${second}`)).status).toBe(204);
});

test('members of enough reputation decide about posts of others, but not about their own suggestions', async () => {
  const { id } = await suggested(bob, ann);
  await sql`update member set reputation = 1000 where id in (${eve.id}, ${bob.id})`.execute(server.db);
  expect(await list(bob)).toEqual([]);
  expect(await decide(bob, id, { decision: 'approve' })).toMatchObject({ code: 'own-suggestion' });
  expect((await list(eve)).map((item) => item.id)).toContain(id);
  expect((await approve(eve, id)).status).toBe(204);
  await sql`update member set reputation = 0 where id in (${eve.id}, ${bob.id})`.execute(server.db);
});

test('an edit that matches a spam rule is decided by moderators only', async () => {
  await setSetting('blockedWords', ['casino']);
  const seller = await server.register('Sal');
  const id = await ann.ask(question);
  const before = (await notificationsOf(ann)).length;
  const { id: open } = expectOk(
    await suggest(seller, 'question', id, { ...question, content: 'In the casino.', summary: 'More' }),
  );
  expect(await list(ann)).toEqual([]);
  expect((await ann.get(`/edit-suggestions/${open}`)).status).toBe(404);
  expect(await notificationsOf(ann)).toHaveLength(before);
  expect((await list(moderator)).find((item) => item.id === open)).toMatchObject({ moderatorsOnly: true });
  expect((await actOnMember(moderator, 'remove_activity', seller.id)).status).toBe(204);
  expect((await list(moderator)).find((item) => item.id === open)).toBeUndefined();
  expect(await list(seller, 'own')).toMatchObject([{ status: 'withdrawn' }]);
  await setSetting('blockedWords', []);
});

test('edits without approval are off, and name the editor once they are on', async () => {
  const id = await ann.ask(question);
  expect(expectOk(await other.get('/abilities'))).toMatchObject({ editDirectly: false, reviewEdits: true });
  await setSetting('directEditing', 'moderators');
  expect(expectOk(await bob.get('/abilities'))).toEqual({
    suggestEdits: true,
    editDirectly: false,
    reviewEdits: false,
  });
  expect(expectOk(await suggest(other, 'question', id, better))).toMatchObject({ status: 'approved' });
  expect((await ann.read(id)).question.content).toBe(better.content);
  const { items } = expectOk(await bob.get<RevisionsPage>(`/questions/${id}/revisions`));
  expect(items[0]?.editor).toMatchObject({ name: 'Otto', approvedBy: null });
  expect((await notificationsOf(ann))[0]).toMatchObject({ kind: 'edited' });
  await setSetting('directEditing', 'nobody');
});

test('a suggested edit with a new tag is approved if its member or the reviewer may create tags', async () => {
  const withTag = (tag: string) => ({ ...better, tags: ['zeppelins', tag] });
  const allowed = async (member: Member, reviewer: Member, tag: string) => {
    const questionId = await reviewer.ask(question);
    await setSetting('tagCreation', 'everyone');
    const { id } = expectOk(await suggest(member, 'question', questionId, withTag(tag)));
    await setSetting('tagCreation', 'experienced');
    return (await approve(reviewer, id)).status;
  };
  const setReputation = (member: Member, reputation: number) =>
    sql`update member set reputation = ${reputation} where id = ${member.id}`.execute(server.db);
  await setReputation(ann, 1000);
  expect(await allowed(bob, ann, 'tag-of-the-reviewer')).toBe(204);
  expect(await allowed(ann, bob, 'tag-of-the-member')).toBe(204);
  await setReputation(ann, 0);
  expect(await allowed(bob, ann, 'tag-of-no-one')).toBe(400);
  expect(await allowed(moderator, ann, 'tag-of-a-moderator')).toBe(204);
  await setSetting('tagCreation', 'everyone');
});

test('mentions of a suggested edit count once, so that the author can approve it, and those that the author adds count', async () => {
  const [author, nadia] = [await server.register('Alma'), await server.register('Nadia')];
  const mentioned = await server.registerAll(
    ...Array.from({ length: serverLimits.mentionsPerPost }, (_, n) => `M ${n}`),
  );
  const content = mentioned.map(({ id }) => `[@M](/profile/${id})`).join(' ');
  const edits = [];
  for (let count = 1; count * mentioned.length <= serverLimits.mentionsPerDay; count++) {
    const postId = await author.ask(question);
    edits.push(expectOk(await suggest(nadia, 'question', postId, { ...better, content })).id);
  }
  expect((edits.length + 1) * mentioned.length).toBeGreaterThan(serverLimits.mentionsPerDay);
  for (const id of edits) expect((await approve(author, id)).status).toBe(204);
  const pointsOfAuthor = async () => {
    const { rows } = await sql<{ points: number }>`
      select points from rate_limit where key = ${memberRateLimitKey('mentions', author.id)}`.execute(
      server.db,
    );
    return rows.map(({ points }) => points);
  };
  expect(await pointsOfAuthor()).toEqual([]);
  const { id } = expectOk(await suggest(nadia, 'question', await author.ask(question), better));
  expect((await approve(author, id, { texts: { ...question, content } })).status).toBe(204);
  expect(await pointsOfAuthor()).toEqual([mentioned.length]);
});

test('the author is notified of an edit that someone else approves, in the name of the one who wrote it', async () => {
  const [rose, max] = [await server.register('Rose Author'), await server.register('Max Reviewer')];
  await sql`update member set reputation = 1000 where id = ${max.id}`.execute(server.db);
  const received = async () =>
    expectOk(await rose.get<Notifications>('/notifications')).items.map(({ kind, message }) => ({
      kind,
      message,
    }));
  const unchanged = await suggested(bob, rose);
  expect((await approve(max, unchanged.id)).status).toBe(204);
  expect((await received())[0]).toMatchObject({
    kind: 'edited',
    message: expect.stringContaining('Bob edited'),
  });
  const changed = await suggested(eve, rose);
  const texts = { title: 'Buy now?', content: 'Something else.', tags: question.tags };
  expect((await approve(moderator, changed.id, { texts })).status).toBe(204);
  expect((await received())[0]).toMatchObject({
    kind: 'edited',
    message: expect.stringContaining('Olga edited'),
  });
  const rejected = await suggested(bob, rose);
  expect((await decide(max, rejected.id, { decision: 'reject', reason: 'No.' })).status).toBe(204);
  const own = await suggested(eve, rose);
  expect((await approve(rose, own.id)).status).toBe(204);
  expect((await received()).filter(({ kind }) => kind === 'edited')).toHaveLength(2);
  await sql`update member set reputation = 0 where id = ${max.id}`.execute(server.db);
});
