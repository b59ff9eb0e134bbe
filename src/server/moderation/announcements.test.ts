import { expect, test } from 'vitest';
import { sql } from 'kysely';
import type { AnnouncementDraft, AnnouncementsDocument } from '#shared/moderation/announcements.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost, getModerationLog, startModeration } from '#tests/support/moderation.ts';

const { server, ann, moderator } = await startModeration();

const announce = (draft: Partial<AnnouncementDraft>, member: Member = moderator) =>
  member.post('/moderation/announcements', draft);
const list = async (reader: Member = ann) => [
  ...(await listAt('', reader)),
  ...(await listAt('?tag=rules', reader)),
];
const listAt = async (place: string, reader: Member = ann) =>
  expectOk(await reader.get<AnnouncementsDocument>(`/announcements${place}`)).items;
const listAll = async () =>
  expectOk(await moderator.get<AnnouncementsDocument>('/moderation/announcements')).items;
const end = (id: number, member: Member = moderator) => member.delete(`/moderation/announcements/${id}`);
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

async function endAll() {
  for (const { id } of await listAll()) expectOk(await end(id));
}

test('a moderator announces a text and pins a question, every node shows them, and the log lists it', async () => {
  const node = await startCachingNode(server.database);
  const reader = node.browserOf(ann);
  expect(await list(reader)).toEqual([]);
  const question = await ann.ask({ title: 'What belongs in this community?', tags: ['rules'] });
  const until = tomorrow();
  expectOk(await announce({ text: ' We meet on Friday. ', link: 'https://example.org/meeting', until }));
  expectOk(await announce({ questionId: question, tag: 'Rules' }));
  await expect.poll(() => list(reader)).toHaveLength(2);
  expect(await list(reader)).toEqual([
    {
      id: expect.any(Number),
      question: null,
      text: 'We meet on Friday.',
      link: 'https://example.org/meeting',
      tag: null,
      until,
    },
    {
      id: expect.any(Number),
      question: { id: question, title: 'What belongs in this community?' },
      text: '',
      link: '',
      tag: 'rules',
      until: null,
    },
  ]);
  expect((await getModerationLog(moderator)).slice(0, 2)).toMatchObject([
    { action: 'pin', questionId: question, after: { topic: 'rules' } },
    { action: 'announce', subject: 'We meet on Friday.', after: { until } },
  ]);

  // A cached document follows edits and removals of pinned questions.
  expectOk(
    await ann.put(`/questions/${question}`, {
      title: 'What belongs here?',
      content: 'Rules.',
      tags: ['rules'],
    }),
  );
  await expect
    .poll(async () => (await listAt('?tag=Rules', reader))[0]?.question?.title)
    .toBe('What belongs here?');
  const hide = { kind: 'question', id: question, reason: 'For now.' };
  expectOk(await moderator.post('/moderation/post-actions', { action: 'hide', ...hide }));
  await expect.poll(() => list(reader)).toHaveLength(1);
  expectOk(await moderator.post('/moderation/post-actions', { action: 'restore', ...hide }));
  await expect.poll(() => list(reader)).toHaveLength(2);

  const [text, pin] = await list(reader);
  expectOk(await end(pin?.id ?? 0));
  expectOk(await end(text?.id ?? 0));
  expect(await end(text?.id ?? 0)).toMatchObject({ status: 409, kind: 'already-handled' });
  await expect.poll(() => list(reader)).toEqual([]);
  expect((await getModerationLog(moderator)).slice(0, 2)).toMatchObject([
    { action: 'end_announcement', subject: 'We meet on Friday.', before: { until } },
    { action: 'unpin', questionId: question, before: { topic: 'rules' } },
  ]);
  await node.stop();
});

test('refuses what makes no sense, and other members', async () => {
  const question = await ann.ask();
  const invalid: Partial<AnnouncementDraft>[] = [
    {},
    { text: ' ' },
    { text: 'x'.repeat(201) },
    { text: 'two\nlines' },
    { text: 'News', link: 'javascript:alert(1)' },
    { text: 'News', link: '//example.org' },
    { text: 'News', link: '/\\example.org' },
    { text: 'News', link: 'https://example.org/a b' },
    { text: 'News', questionId: question },
    { questionId: question, link: '/search' },
    { text: 'News', tag: 'no such topic' },
    { text: 'News', until: '2020-01-01T00:00:00.000Z' },
  ];
  for (const draft of invalid) expect(await announce(draft)).toMatchObject({ status: 400, kind: 'invalid' });
  expect(await announce({ questionId: 999_999 })).toMatchObject({ status: 404, code: 'question-not-found' });
  expect(await announce({ text: 'News' }, ann)).toMatchObject({ status: 404, kind: 'not-found' });
  expectOk(await announce({ text: 'News' }));
  const [posted] = await list();
  expect(await end(posted?.id ?? 0, ann)).toMatchObject({ status: 404, kind: 'not-found' });
  expect(await list()).toHaveLength(1);
  await endAll();
});

test('at most five are shown at one place, also after a hidden question is restored', async () => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await ann.ask());
  for (const questionId of ids) expectOk(await announce({ questionId }));
  expectOk(await actOnPost(moderator, 'hide', 'question', ids[0] ?? 0));
  expect(await listAt('')).toHaveLength(4);
  expectOk(await announce({ text: 'News' }));
  expectOk(await actOnPost(moderator, 'restore', 'question', ids[0] ?? 0));
  expect(await listAt('')).toHaveLength(5);
  expect(await announce({ text: 'More news' })).toMatchObject({ code: 'too-many-announcements' });
  await endAll();
});

test('at most five are shown at one place, however many are posted at once', async () => {
  await ann.ask({ tags: ['meetings'] });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => announce({ text: `News ${n}` })));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(5);
  expect(answers.filter((each) => each.code === 'too-many-announcements')).toHaveLength(3);
  expect(await announce({ text: 'On another page', tag: 'meetings' })).toMatchObject({ status: 204 });
  expect(await listAll()).toHaveLength(6);
  expect(await list()).toHaveLength(5);
  await endAll();
});

test('a question is pinned once at each place, and one that was deleted is no longer pinned', async () => {
  const question = await ann.ask({ tags: ['pins'] });
  const answers = await Promise.all([1, 2, 3].map(() => announce({ questionId: question })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409, 409]);
  expectOk(await announce({ questionId: question, tag: 'pins' }));
  expect(await announce({ questionId: question, tag: 'pins' })).toMatchObject({
    code: 'question-pinned-already',
  });
  expectOk(await ann.delete(`/questions/${question}`));
  expect(await listAll()).toEqual([]);
});

test('an announcement ends by itself, and one of a merged tag is shown with the other tag', async () => {
  await ann.ask({ tags: ['js news', 'script news'] });
  expectOk(await announce({ text: 'Short', until: tomorrow() }));
  expectOk(await announce({ text: 'For scripts', tag: 'js news' }));
  await sql`update announcement set until = clock_timestamp() where text = 'Short'`.execute(server.db);
  expect(await listAll()).toMatchObject([{ text: 'For scripts', tag: 'js news' }]);
  expectOk(
    await moderator.post('/moderation/tag-changes', { kind: 'merge', tag: 'js news', to: 'script news' }),
  );
  for (const name of ['script news', 'js news'])
    expect(await listAt(`?tag=${encodeURIComponent(name)}`)).toMatchObject([
      { text: 'For scripts', tag: 'script news' },
    ]);
  await endAll();
});
