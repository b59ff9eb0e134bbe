import { projectRoot } from '#server/core/paths.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type APIRequestContext, type Browser, devices, type Page } from '@playwright/test';
import { demoMember } from '#server/import-export/demo.ts';
import { startCommunity } from '#tests/e2e/support/community.ts';
import { registerStaff } from './staff-screens.ts';

type ReadmePicture = {
  name: string;
  moderator?: boolean;
  phone?: boolean;
  /** The height of a desktop picture; by default 800. */
  height?: number;
  /** The path of the page, or the title of a question of the demo community. */
  open: { path: string } | { question: string };
  prepare?: (page: Page) => Promise<unknown>;
};

const solvedQuestion = 'Why does the wrong text field keep its content when I delete a row in React?';

/** The pictures of README.md, of the demo community. Desktop pictures are light, phone pictures dark. */
const pictures: readonly ReadmePicture[] = [
  { name: 'question', open: { question: solvedQuestion }, height: 1360 },
  { name: 'search', open: { path: '/search?q=%5Bjavascript%5D+is%3Aanswered+list' } },
  {
    name: 'ask',
    open: { path: '/ask' },
    height: 880,
    prepare: async (page) => {
      await page
        .getByRole('textbox', { name: 'Title' })
        .fill('How do I keep a list fast with 5000 rows in React?');
      await page.getByRole('textbox', { name: 'Tags' }).fill('react, javascript, ');
      await page
        .getByRole('textbox', { name: 'Details' })
        .fill(
          'Typing into any field of the list takes **half a second**:\n\n```jsx\n{rows.map((row) => <Row key={row.id} row={row} />)}\n```\n',
        );
      await page.getByRole('region', { name: 'Similar questions' }).getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'notifications',
    open: { path: '/' },
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Notifications/u }).click();
      await page.getByRole('button', { name: 'Mark all read' }).waitFor();
    },
  },
  { name: 'moderation', moderator: true, open: { path: '/moderation' }, height: 860 },
  {
    name: 'account',
    open: { path: '/settings?tab=account' },
    prepare: (page) =>
      page.getByRole('heading', { name: 'Two-factor authentication' }).evaluate((heading) => {
        window.scrollBy({ top: heading.getBoundingClientRect().top - 120, behavior: 'instant' });
      }),
  },
  { name: 'home-phone', phone: true, open: { path: '/' } },
  {
    name: 'question-phone',
    phone: true,
    open: { question: solvedQuestion },
    prepare: (page) =>
      page.getByRole('heading', { name: '2 Answers' }).evaluate((heading) => {
        window.scrollBy({ top: heading.getBoundingClientRect().top - 90, behavior: 'instant' });
      }),
  },
];

const desktop = {
  viewport: { width: 1280, height: 800 },
  deviceScaleFactor: 1.5,
  colorScheme: 'light',
} as const;
const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  colorScheme: 'dark',
  isMobile: true,
  hasTouch: true,
  userAgent: devices['iPhone 15'].userAgent,
} as const;

/** Takes the pictures of README.md and writes them to docs/pictures. */
export async function takeReadmePictures(
  browser: Browser,
  isSelected: (name: string) => boolean,
): Promise<void> {
  const directory = path.join(projectRoot, 'docs/pictures');
  await mkdir(directory, { recursive: true });
  const community = await startCommunity({ demo: true });
  // Passkeys need a host name.
  const baseURL = community.address.replace('127.0.0.1', 'localhost');
  const open = async (device: typeof desktop | typeof phone) =>
    browser.newContext({
      ...device,
      baseURL,
      locale: 'en',
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
    });
  try {
    const [member, onPhone, moderator] = await Promise.all([open(desktop), open(phone), open(desktop)]);
    for (const { request } of [onPhone, member]) await request.post('/api/session', { data: demoMember });
    await registerStaff(moderator.request, community.dataDirectory, {
      role: 'moderator',
      displayName: 'Sam Lake',
    });
    for (const picture of pictures.filter(({ name }) => isSelected(name))) {
      const context = picture.phone ? onPhone : picture.moderator ? moderator : member;
      const page = await context.newPage();
      if (picture.height !== undefined)
        await page.setViewportSize({ ...desktop.viewport, height: picture.height });
      await page.goto(await findPath(context.request, picture.open));
      await page.locator('h1').first().waitFor();
      await waitUntilLoaded(page);
      await picture.prepare?.(page);
      await waitUntilLoaded(page);
      await writeFile(path.join(directory, `${picture.name}.webp`), await takeWebp(page));
      await page.close();
    }
  } finally {
    await community.remove();
  }
}

async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

async function findPath(request: APIRequestContext, open: ReadmePicture['open']): Promise<string> {
  if ('path' in open) return open.path;
  const response = await request.get(`/api/search/instant?q=${encodeURIComponent(open.question)}`);
  const { questions } = (await response.json()) as { questions: { id: number; title: string }[] };
  const question = questions.find(({ title }) => title === open.question);
  if (question === undefined) throw new Error(`The demo community has no question '${open.question}'.`);
  return `/question/${question.id}`;
}

/** Playwright has no WebP, which needs a third of the bytes of PNG here. */
async function takeWebp(page: Page): Promise<Buffer> {
  const clip = await page.evaluate(() => ({
    x: window.scrollX,
    y: window.scrollY,
    width: window.innerWidth,
    height: window.innerHeight,
    scale: window.devicePixelRatio,
  }));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75, clip });
  return Buffer.from(data, 'base64');
}
