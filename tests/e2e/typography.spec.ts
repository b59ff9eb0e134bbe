import { expect, test, type Locator } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, askAndOpen, uniqueText } from './support/posts.ts';
import { visit } from './support/visit.ts';

const wide = `const line = '${'wide '.repeat(60)}';`;
const code = `Before \`npm run build -- --all\`, and then:\n\n\`\`\`ts\n${wide}\n\`\`\``;

test('figures have one width in counts and proportional widths in running text', async ({ page }) => {
  await registerMember(page.request);
  const title = uniqueText('Does git reset --hard 2026 undo a two-factor set-up?');
  const content = 'A two-factor\n\n| call | cost |\n| - | - |\n| git reset --hard | 3 |';
  const id = await askQuestion(page.request, { title, content, tags: ['two-factor'] });
  await postAnswer(page.request, id);
  for (const path of ['/', `/question/${id}`, '/topics', '/profile']) {
    await visit(page, path);
    await expect(page.getByRole('main').getByText('two-factor').first()).toBeVisible();
    const tabular = await page.evaluate(textsWithTabularFigures);
    expect(
      tabular.filter((text) => text.includes('-')),
      path,
    ).toEqual([]);
    expect(tabular.length, path).toBeGreaterThanOrEqual(2);
  }
  await visit(page, '/ask');
  await expect(page.getByText('0/200', { exact: true })).toHaveCSS('font-variant-numeric', 'tabular-nums');
});

test('code is monospaced in the editor of a question, an answer, a reply and an edit', async ({ page }) => {
  await registerMember(page.request);
  const isMonospaced = async (field: Locator) => {
    await field.fill(`Before \`npm ci\`:\n\n${code}`);
    const measure = () =>
      field.evaluate((element) => {
        const canvas = document.createElement('canvas').getContext('2d')!;
        const { fontSize, fontFamily } = getComputedStyle(element);
        canvas.font = `${fontSize} ${fontFamily}`;
        return ['iiiiiiiiii', 'MMMMMMMMMM', 'const x=1;'].map((text) => canvas.measureText(text).width);
      });
    // The form that is loaded meanwhile replaces the field.
    await expect
      .poll(async () => {
        const widths = await measure();
        return Math.max(...widths) - Math.min(...widths);
      })
      .toBeLessThan(0.01);
  };
  await visit(page, '/ask');
  await isMonospaced(page.getByRole('textbox', { name: 'Details' }));
  const id = await askQuestion(page.request, { title: uniqueText('Is it monospaced?') });
  await postAnswer(page.request, id);
  await page.goto(`/question/${id}`);
  await isMonospaced(page.getByRole('textbox', { name: 'Your answer' }));
  const posted = page.getByRole('article', { name: 'Answer by' });
  await posted.getByRole('button', { name: 'Reply' }).click();
  await isMonospaced(page.getByRole('textbox', { name: 'Your reply' }));
  await posted.getByRole('button', { name: 'Edit' }).click();
  await isMonospaced(posted.getByRole('textbox').first());
});

test.describe('in Arabic', () => {
  test.use({ locale: 'ar' });

  test('code is left to right and aligned to its start, on the page and in the preview', async ({ page }) => {
    await registerMember(page.request);
    await page.setViewportSize({ width: 390, height: 844 });
    await askAndOpen(page, uniqueText('كيف أبني هذا؟'), `اكتب \`--all run\` ثم:\n\n${code}`);
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    const question = page.getByRole('article').first();
    await startsAtItsBeginning(question);

    const field = page.getByRole('textbox').last();
    await field.fill(`اكتب \`--all run\` ثم:\n\n${code}`);
    await page.getByRole('tab').last().click();
    await startsAtItsBeginning(page.getByRole('tabpanel').last());
  });

  test('code is left to right and monospaced in the versions of a post', async ({ page }) => {
    await registerMember(page.request);
    const block = '```\n// تعليق\n\nconst one = 1;\n```';
    const content = `نص قبل الشيفرة\n\n${block}`;
    const id = await askQuestion(page.request, { title: uniqueText('كيف تغيّر هذا؟'), content });
    const data = { title: uniqueText('كيف تغيّر؟'), content: `نص آخر\n\n${block}`, tags: [] };
    const edited = await page.request.put(`/api/questions/${id}`, { data });
    expect(edited.status(), await edited.text()).toBe(200);
    await page.goto(`/question/${id}`);
    await page.locator('button[aria-haspopup="dialog"]:has(time)').click();
    const versions = page.getByRole('dialog');
    for (const line of ['// تعليق', 'const one = 1;']) {
      const paragraph = versions.locator('p').filter({ hasText: line }).first();
      await expect(paragraph).toHaveCSS('direction', 'ltr');
      await expect(paragraph).toHaveCSS('font-family', /monospace/u);
    }
    await expect(versions.locator('p').filter({ hasText: 'نص آخر' }).first()).toHaveCSS('direction', 'rtl');
  });

  test('a wide table in a left-to-right text is aligned to its start', async ({ page }) => {
    await registerMember(page.request);
    await page.setViewportSize({ width: 390, height: 844 });
    const cells = (text: string) => `| ${Array(8).fill(text).join(' | ')} |`;
    await askAndOpen(
      page,
      uniqueText('Which table?'),
      `${cells('A heading')}\n${cells('-')}\n${cells('A cell with words')}`,
    );
    const first = page.getByRole('columnheader').first();
    await expect(first).toBeVisible();
    const [box, scroller] = await Promise.all([
      first.boundingBox(),
      page.locator('section:has(> table)').boundingBox(),
    ]);
    expect(box?.x).toBeGreaterThanOrEqual((scroller?.x ?? 0) - 1);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(
      (scroller?.x ?? 0) + (scroller?.width ?? 0),
    );
  });
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  test('headings break words only at hyphens, on a narrow phone and on a wide screen', async ({ page }) => {
    test.slow();
    const broken: string[] = [];
    const look = async (path: string) => {
      await visit(page, path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 720 });
        await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
        broken.push(...(await page.evaluate(brokenWords)).map((word) => `${path} at ${width}: ${word}`));
      }
    };
    for (const path of ['/login', '/register', '/forgot-password']) await look(path);
    await registerMember(page.request);
    // The open app has no session yet.
    await page.goto('/');
    for (const path of memberPaths) await look(path);
    expect(broken).toEqual([]);
  });

  test("long words of members in headings are hyphenated by the rules of the page's language", async ({
    page,
  }) => {
    await registerMember(page.request);
    await askAndOpen(page, uniqueText('Wer kennt die Donaudampfschifffahrtsgesellschaft?'));
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('hyphens', 'auto');
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('links of authors and times are 44 pixels high, and no link or button is lower than 24', async ({
    page,
  }) => {
    await registerMember(page.request);
    const title = uniqueText('How high is it?');
    const id = await askQuestion(page.request, { title, tags: ['height'] });
    await postAnswer(page.request, id);
    for (const path of [
      '/',
      '/profile',
      '/topics',
      '/topics/height',
      '/following',
      '/search?q=high',
      `/question/${id}`,
    ]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      expect(await page.evaluate(lowTargets), path).toEqual([]);
    }
    const post = page.getByRole('article', { name: 'Answer by' });
    for (const link of [post.getByRole('link', { name: 'Robin Page' }), post.locator('a:has(time)')]) {
      const box = await link.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      // A finger at the upper and lower edge hits it.
      for (const y of [2, (box?.height ?? 0) - 2]) {
        const hit = await link.evaluate((element, y) => {
          const { left, top } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(left + 4, top + y));
        }, y);
        expect(hit, `${y} px below its top`).toBe(true);
      }
    }
  });
});

/** A page follows one of another route: see `visit`. */
const memberPaths = [
  '/ask',
  '/',
  '/following',
  '/topics',
  '/following?tab=activity',
  '/profile',
  '/following?tab=topics',
  '/search?q=zzzzqqq',
  '/notifications',
  '/drafts',
  '/settings',
  '/bookmarks',
  '/settings?tab=account',
  '/no-such-page',
  '/question/999999999',
];

async function startsAtItsBeginning(text: Locator): Promise<void> {
  const block = text.locator('pre code');
  await expect(block).toContainText('const line');
  // The text can be rendered again meanwhile.
  const read = () =>
    block.evaluate((element) => {
      const scroller = element.closest('section')!;
      const range = document.createRange();
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!;
      range.setStart(text, 0);
      range.setEnd(text, 1);
      const first = range.getBoundingClientRect();
      const box = scroller.getBoundingClientRect();
      return {
        scrolls: scroller.scrollWidth > scroller.clientWidth,
        shown: first.left >= box.left && first.right <= box.right,
        scrollLeft: scroller.scrollLeft,
        direction: getComputedStyle(scroller).direction,
      };
    });
  await expect.poll(read).toEqual({ scrolls: true, shown: true, scrollLeft: 0, direction: 'ltr' });
  const inline = text.locator('code').first();
  await expect(inline).toHaveCSS('direction', 'ltr');
  await expect(inline).toHaveCSS('unicode-bidi', 'isolate');
}

/** Runs in the page: all texts with tabular figures. */
function textsWithTabularFigures(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const words: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const element = node.parentElement;
    if (text === '' || element === null || ['SCRIPT', 'STYLE'].includes(element.tagName)) continue;
    if (getComputedStyle(element).fontVariantNumeric.includes('tabular-nums')) words.push(text);
  }
  return words;
}

/** Runs in the page: words in its own headings that span more than one line without a hyphen. */
function brokenWords(): string[] {
  const broken: string[] = [];
  for (const heading of document.querySelectorAll('h1, h2, h3, [role="heading"], legend')) {
    if (heading.closest('article') !== null) continue;
    const walker = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      // A word may break at a hyphen, visible or soft.
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s\u00ad\u200b-]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(word);
      }
    }
  }
  return broken;
}

/** Runs in the page: links and buttons lower than 24 pixels, except those within a sentence. */
function lowTargets(): string[] {
  const low: string[] = [];
  for (const element of document.querySelectorAll('a[href], button, select, input, textarea, summary')) {
    const { width, height } = element.getBoundingClientRect();
    const message = element.closest('p, li, label');
    const inSentence = message !== null && message.textContent?.trim() !== element.textContent?.trim();
    if (width < 2 || inSentence || getComputedStyle(element).clipPath !== 'none') continue;
    if (height < 24) low.push(`${element.textContent} ${height}`);
  }
  return low;
}
