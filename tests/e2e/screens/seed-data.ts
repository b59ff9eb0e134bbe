import type { APIRequestContext } from '@playwright/test';
import sharp from 'sharp';
import { askQuestion, registerMember, newMember } from '#tests/e2e/support/members.ts';
import { saveDraft } from '#tests/e2e/support/drafts.ts';
import { postAnswer, postReply, upvote } from '#tests/e2e/support/posts.ts';
import type { SeededIds } from './screen.ts';

/** Fills the community with content that strains a page, and gives the viewing member notifications. */
export async function seedCommunity(
  owner: APIRequestContext,
  others: readonly [APIRequestContext, APIRequestContext],
): Promise<SeededIds> {
  const [first, second] = others;
  await registerMember(first, newMember('N'.repeat(80)));
  await registerMember(second, newMember('ليلى الكاتبة 🦉'));
  await setAvatar(owner, '#7a9e7e');
  await setAvatar(second, '#c9a227');
  const extremeTag = 'w'.repeat(35);
  const extreme = await askQuestion(owner, {
    title: 'W'.repeat(200),
    content: extremeMarkdown,
    tags: [extremeTag, 'برمجة', '日本語', 'c++', 'a b c'],
  });
  await askQuestion(second, {
    title: 'كيف أتعلم البرمجة من الصفر؟',
    content: 'من أين أبدأ؟',
    tags: ['برمجة'],
  });
  await askQuestion(second, { title: '👩‍👩‍👧‍👦🏳️‍🌈 '.repeat(12).trim(), content: '🦉', tags: ['日本語'] });
  const long = await postAnswer(first, extreme, `${'x'.repeat(500)}\n\n${'Word after word. '.repeat(200)}`);
  let parent: number | null = null;
  for (let level = 0; level <= 3; level++)
    parent = await postReply(
      level % 2 === 0 ? second : first,
      long,
      `Level ${level}: ${'y'.repeat(120)}`,
      parent,
    );
  await postAnswer(second, extreme, 'جواب قصير.\n\n```ts\nconst line = "' + 'z'.repeat(300) + '";\n```');
  await upvote(first, extreme);
  await upvote(second, extreme);
  const { items } = await json<{ items: { id: number; answerCount: number }[] }>(owner, '/api/feeds/popular');
  const me = await json<{ member: { id: number } }>(first, '/api/session');
  const question = items.toSorted((a, b) => b.answerCount - a.answerCount).find(({ id }) => id !== extreme);
  const { question: asked } = await json<{ question: { authorId: number } }>(
    owner,
    `/api/questions/${question?.id}`,
  );
  for (const path of ['/api/tags/programming/follow', `/api/questions/${question?.id}/follow`])
    await owner.put(path, { data: { following: true } });
  return {
    question: question?.id ?? extreme,
    extreme,
    memberId: asked.authorId,
    extremeMember: me.member.id,
    extremeTag,
    ...(await ownPosts(owner, others)),
  };
}

/** A disc of a color on white. */
async function setAvatar(member: APIRequestContext, color: string): Promise<void> {
  const disc = `<svg viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="3" fill="${color}"/></svg>`;
  const picture = await sharp(Buffer.from(disc), { density: 2000 }).png().toBuffer();
  const response = await member.put('/api/settings/avatar', {
    data: picture,
    headers: { 'content-type': 'application/octet-stream' },
  });
  if (!response.ok()) throw new Error(`the avatar was refused: ${await response.text()}`);
}

/** The posts, edits, bookmarks, mutes and drafts of the viewing member. */
async function ownPosts(
  owner: APIRequestContext,
  [first, second]: readonly [APIRequestContext, APIRequestContext],
): Promise<Pick<SeededIds, 'own' | 'ownAnswer' | 'ownReply' | 'spare' | 'list' | 'emptyList'>> {
  const own = await askQuestion(owner, {
    title: 'How do I keep a sourdough starter alive over the holidays?',
    content: 'I am away for **three weeks**. Does it live in the fridge?',
    tags: ['baking', 'sourdough'],
  });
  const solution = await postAnswer(first, own, 'Feed it once, then put it into the fridge.');
  const ownAnswer = await postAnswer(owner, own, 'I dried it. That worked, too.');
  const parent = await postReply(second, ownAnswer, 'How long did it take to come back?');
  const ownReply = await postReply(owner, ownAnswer, 'Two days, with two feedings.', parent);
  await postReply(second, solution, 'Without feeding it goes flat after four weeks.');
  await send(owner, 'put', `/api/questions/${own}/accepted-answer`, { answerId: solution });
  await send(owner, 'put', `/api/answers/${ownAnswer}`, {
    content: 'I dried it on baking paper. That worked well.',
  });
  await send(owner, 'put', `/api/replies/${ownReply}`, { content: 'Three days, with two feedings.' });
  const spare = await askQuestion(owner, { title: 'Which flour for a first loaf?', tags: ['baking'] });
  await postAnswer(second, spare, 'Any strong white one.');
  const { id: list } = await send<{ id: number }>(owner, 'post', '/api/bookmark-lists', {
    name: 'L'.repeat(40),
  });
  const { id: emptyList } = await send<{ id: number }>(owner, 'post', '/api/bookmark-lists', {
    name: 'للقراءة',
  });
  const bookmark = { bookmarked: true, note: 'For the next holidays', listIds: [list] };
  await send(owner, 'put', `/api/questions/${own}/bookmark`, bookmark);
  await send(owner, 'put', `/api/answers/${solution}/bookmark`, { bookmarked: true });
  const muted = await askQuestion(second, { title: 'Who else is up all night?', tags: ['night-watch'] });
  await send(owner, 'put', `/api/questions/${muted}/mute`, { muted: true });
  await send(owner, 'put', '/api/tags/night-watch/mute', { muted: true });
  for (const place of listOwnDrafts({ own, ownAnswer }))
    await saveDraft(owner, place, { content: 'Begun, and not yet at its end. '.repeat(9) });
  return { own, ownAnswer, ownReply, spare, list, emptyList };
}

/** The drafts of the viewing member that stay. All other drafts are deleted between screens. */
export const listOwnDrafts = ({ own, ownAnswer }: Pick<SeededIds, 'own' | 'ownAnswer'>) => [
  `edit:question:${own}`,
  `reply:answer:${ownAnswer}`,
];

const extremeMarkdown = [
  'x'.repeat(300),
  '## A heading that goes on and on and on',
  '| a | b | c | d | e | f | g | h |\n|-|-|-|-|-|-|-|-|\n| 1 | 2 | 3 | 4 | 5 | 6 | 7 | ' +
    '8'.repeat(80) +
    ' |',
  '> A quote\n> > in a quote\n> > > in a quote',
  '1. one\n   - two\n     - three\n       - four',
  '```\n' + 'a line that is longer than any screen '.repeat(8) + '\n```',
  '- [x] done\n- [ ] to do',
].join('\n\n');

/** Sends JSON and returns the JSON of the response; undefined for an empty one. */
export async function send<T>(
  request: APIRequestContext,
  method: 'put' | 'post',
  path: string,
  data: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await request[method](path, { data, headers });
  if (!response.ok()) throw new Error(`${path} responded ${response.status()}: ${await response.text()}`);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function json<T>(request: APIRequestContext, path: string): Promise<T> {
  const response = await request.get(path);
  if (!response.ok()) throw new Error(`${path} responded ${response.status()}`);
  return (await response.json()) as T;
}
