import { fromHtml } from 'hast-util-from-html';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { hasForbiddenCharacters } from '#shared/core/text.ts';
import { packTexts, readCorpora } from '#tests/support/attack-corpora.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { expectOk, type ApiResponse } from '#tests/support/member.ts';

// Each text of the public lists, in a real browser, is tried by bench/hostile-input.ts; here a part of them, quickly.
const corpora = readCorpora();
const every = corpora.isComplete ? 40 : 1;
const lines = corpora.lines.filter((line, at) => at % every === 0 && !hasForbiddenCharacters(line));
const mailing = await startServerWithEmail();
const { server, node } = mailing;
afterAll(() => mailing.stop());
beforeEach(() => server.resetRateLimits());

const breaks = ({ status }: ApiResponse) => status === 0 || status >= 500;

describe('hostile texts', () => {
  test('are stored and shown as they were written', async () => {
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

  test('as names, tags, notes, lists and drafts are taken or refused, and break nothing', async () => {
    const ann = await server.register('Ann');
    const id = await ann.ask();
    const wrong: string[] = [];
    for (const line of lines.filter((_, at) => at % 8 === 0)) {
      await server.resetRateLimits();
      const encoded = encodeURIComponent(line);
      const answers = [
        await ann.put('/settings', { displayName: line.slice(0, 80), bio: line, showEmail: true }),
        await ann.post('/questions', { title: 'Tagged', content: 'So.', tags: [line] }),
        await ann.put(`/topics/${encoded}/follow`, { following: true }),
        await ann.put(`/questions/${id}/bookmark`, { bookmarked: true, note: line }),
        await ann.post('/bookmark-lists', { name: line }),
        await ann.get('/session'),
      ];
      if (answers.some(breaks)) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });

  test('in addresses, searches, headers and cookies find nothing, or are refused, and break nothing', async () => {
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

  test('that hang parsers are stored, shortened for cards, and found', async () => {
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

test('a mail about hostile texts is built as any other, and its subject stays one line', async () => {
  const [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
  await mailing.mailed(ann, 'answers', 'at_once');
  const shapes: { tags: string; subject: string | undefined }[] = [];
  const titles = ['How long does bread keep?', ...packTexts(lines, 200, ' ').slice(0, 6)];
  for (const [at, title] of titles.entries()) {
    await server.resetRateLimits();
    expectOk(
      await bob.put('/settings', { displayName: title.slice(0, 80).trim(), bio: '', showEmail: false }),
    );
    await bob.answer(await ann.ask({ title }), title);
    await mailing.sendDue();
    const mail = (await mailing.post.waitForEmails(ann.email, at + 2)).at(-1);
    shapes.push({ tags: tagsIn(mail?.html ?? ''), subject: mail?.subject });
  }
  for (const { tags, subject } of shapes) {
    expect(tags).toBe(shapes[0]?.tags);
    expect(subject).not.toMatch(/[\r\n]/u);
  }
});

/** The elements of a page, in their order. */
function tagsIn(html: string): string {
  const names: string[] = [];
  const visit = (node: { type: string; tagName?: string; children?: readonly unknown[] }) => {
    if (node.tagName !== undefined) names.push(node.tagName);
    for (const child of node.children ?? []) visit(child as typeof node);
  };
  visit(fromHtml(html));
  return names.join(' ');
}
