import { fromHtml } from 'hast-util-from-html';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#shared/core/limits.ts';
import { hasForbiddenCharacters } from '#shared/core/text.ts';
import { displayName } from '#shared/identity/accounts.ts';
import { packTexts, readCorpora } from '#tests/support/attack-corpora.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { expectOk, type ApiResponse } from '#tests/support/member.ts';

// Only some of the public lists, to be fast. bench/hostile-input.ts tries every text in a real browser.
const corpora = readCorpora();
const every = corpora.isComplete ? 40 : 1;
const lines = corpora.lines.filter((line, at) => at % every === 0 && !hasForbiddenCharacters(line));
const emailServer = await startServerWithEmail();
const { server, node } = emailServer;
afterAll(() => emailServer.stop());
beforeEach(() => server.resetRateLimits());

const breaks = ({ status }: ApiResponse) => status === 0 || status >= 500;

describe('hostile texts', () => {
  test('are stored and shown as written', async () => {
    const ann = await server.register('Ann');
    const id = await ann.ask();
    for (const content of packTexts(lines, 29_000)) {
      await server.resetRateLimits();
      expect((await ann.answer(id, content)).content).toBe(content.trim());
    }
    for (const content of packTexts(lines, 950).slice(0, 40)) {
      await server.resetRateLimits();
      expect((await ann.replyToQuestion(id, { content })).content).toBe(content.trim());
    }
    for (const title of packTexts(lines, 200, ' ').slice(0, 40)) {
      await server.resetRateLimits();
      const asked = await ann.ask({ title, content: title });
      expect((await ann.read(asked)).question).toMatchObject({ title: title.trim(), content: title.trim() });
    }
  });

  test('are accepted or rejected as names, tags, notes, lists and drafts, and break nothing', async () => {
    const ann = await server.register('Ann');
    const id = await ann.ask();
    const wrong: string[] = [];
    for (const line of lines.filter((_, at) => at % 8 === 0)) {
      await server.resetRateLimits();
      const encoded = encodeURIComponent(line);
      const answers = [
        await ann.put('/settings', { displayName: line.slice(0, 80), bio: line, showEmail: true }),
        await ann.post('/questions', { title: 'Tagged', content: 'So.', tags: [line] }),
        await ann.put(`/tags/${encoded}/follow`, { following: true }),
        await ann.put(`/questions/${id}/bookmark`, { bookmarked: true, note: line }),
        await ann.post('/bookmark-lists', { name: line }),
        await ann.get('/session'),
      ];
      if (answers.some(breaks)) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });

  test('find nothing or are rejected in URLs, searches, headers and cookies, and break nothing', async () => {
    const ann = await server.register('Ann');
    const wrong: string[] = [];
    for (const line of lines.filter((_, at) => at % 4 === 0)) {
      const encoded = encodeURIComponent(line);
      const printable = line.replaceAll(/[^\x21-\x7e]/gu, '');
      const answers = [
        await ann.get(`/search?q=${encoded}`),
        await ann.get(`/questions/${encoded}`),
        await ann.get(`/feeds/recent?cursor=${encoded}`),
        await ann.get(`/members?name=${encoded}`),
        await server.visitor().signIn(line, line),
        await server.visitor().send('GET', '/session', { headers: { cookie: printable } }),
        await ann.send('POST', '/questions', { body: line, key: printable.slice(0, 100) }),
      ];
      if (answers.some(breaks)) wrong.push(line);
      await server.resetRateLimits();
    }
    expect(wrong).toEqual([]);
  });

  test('that block parsers are stored, shortened for cards, and found', async () => {
    const ann = await server.register('Ann');
    for (const hang of corpora.slowMarkdown) {
      await server.resetRateLimits();
      const id = await ann.ask({ content: hang.slice(0, 2_000) });
      await ann.answer(id, hang.repeat(Math.floor(30_000 / hang.length) || 1).slice(0, 30_000));
      expect((await ann.feed('recent')).items[0]?.id).toBe(id);
      expect(expectOk(await ann.get(`/search?q=${encodeURIComponent(hang.slice(0, 200))}`))).toBeDefined();
    }
  });
});

test('an email about hostile texts is built like any other, and its subject stays on one line', async () => {
  const [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
  await emailServer.enableEmail(ann, 'answers', 'instant');
  const shapes: { tags: string; subject: string | undefined }[] = [];
  const nameOf = (title: string) => title.slice(0, limits.displayNameMax).trim();
  const hostile = packTexts(lines, 200, ' ').filter((title) => displayName.safeParse(nameOf(title)).success);
  expect(hostile.length).toBeGreaterThan(0);
  const titles = ['How long does bread keep?', ...hostile.slice(0, 6)];
  for (const [at, title] of titles.entries()) {
    await server.resetRateLimits();
    expectOk(await bob.put('/settings', { displayName: nameOf(title), bio: '', showEmail: false }));
    await bob.answer(await ann.ask({ title }), title);
    await emailServer.sendDue();
    const email = (await emailServer.post.waitForEmails(ann.email, at + 2)).at(-1);
    shapes.push({ tags: tagsIn(email?.html ?? ''), subject: email?.subject });
  }
  for (const { tags, subject } of shapes) {
    expect(tags).toBe(shapes[0]?.tags);
    expect(subject).not.toMatch(/[\r\n]/u);
  }
});

/** The elements of a page, in order. */
function tagsIn(html: string): string {
  const names: string[] = [];
  const visit = (node: { type: string; tagName?: string; children?: readonly unknown[] }) => {
    if (node.tagName !== undefined) names.push(node.tagName);
    for (const child of node.children ?? []) visit(child as typeof node);
  };
  visit(fromHtml(html));
  return names.join(' ');
}
