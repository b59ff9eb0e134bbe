import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import { limits } from '#shared/core/limits.ts';
import { askFields, openAskForm } from './support/forms.ts';
import { waitForTexts } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askAndOpen, secondMember, uniqueText } from './support/posts.ts';
import { test } from './support/shared-page.ts';

const field = (page: Page) => page.getByRole('textbox', { name: 'Your answer' });
/** Small, so that the server makes no smaller copies of it, unless a test is about its size. */
const plain = (background: string, { width, height } = { width: 160, height: 90 }) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

/** Pastes or drops a file as the browser does. `content` may be the number of its bytes. */
async function give(
  page: Page,
  how: 'paste' | 'drop',
  name: string,
  content: Buffer | number,
): Promise<void> {
  await field(page).evaluate(
    (element, { how, name, content }) => {
      const bytes = typeof content === 'number' ? new Uint8Array(content) : Uint8Array.from(content);
      const data = new DataTransfer();
      data.items.add(new File([bytes], name, { type: 'image/png' }));
      const more = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...more })
          : new DragEvent('drop', { dataTransfer: data, ...more }),
      );
    },
    { how, name, content: typeof content === 'number' ? content : [...content] },
  );
}

test('pictures are added by button, paste and drop, described, and shown to others without a jump', async ({
  sharedPage: page,
  browser,
}) => {
  const id = await askAndOpen(page, uniqueText('What is on the picture?'));
  await field(page).click();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Picture' }).click();
  const buffer = await plain('#a33', { width: 1600, height: 900 });
  await (await choosing).setFiles({ name: 'red.png', mimeType: 'image/png', buffer });
  await expect(field(page)).toHaveValue(/^!\[\]\(\/uploads\/[\w-]{22}\/1600x900\.webp\)$/u);
  await expectInView(page.getByText('Describe the picture between the square brackets'));
  // The caret is in the alternative text.
  await page.keyboard.type('A red wall');
  await expect(field(page)).toHaveValue(/^!\[A red wall\]\(/u);
  await page.keyboard.press('Control+End');
  await give(page, 'paste', 'green.png', await plain('#3a3'));
  await expect(field(page)).toHaveValue(/\n!\[\]\([^)]+\)$/u);
  await page.keyboard.type('A green wall');
  await page.keyboard.press('Control+End');
  await give(page, 'drop', 'blue.png', await plain('#33a'));
  await expect(field(page)).toHaveValue(/\n!\[\]\([^)]+\)$/u);
  await page.keyboard.type('A blue wall');
  await page.getByRole('button', { name: 'Post Answer' }).click();

  const { page: reader } = await secondMember(browser, 'Reader');
  await reader.goto(`/question/${id}`);
  await waitForTexts(reader);
  const picture = reader.getByRole('img', { name: 'A red wall' });
  await expect(picture).toHaveAttribute('srcset', /\/320x180\.webp 320w, .*\/1600x900\.webp 1600w$/u);
  await expect(picture).toHaveAttribute('loading', 'lazy');
  // The text may be rendered again meanwhile, which replaces the picture.
  await expect
    .poll(() =>
      picture.evaluate((image: HTMLImageElement) => {
        image.scrollIntoView({ block: 'center' });
        return image.naturalWidth;
      }),
    )
    .toBeGreaterThan(0);
  // Nothing moves while a picture is loaded: without its file, it takes the same space.
  const measure = async () => {
    const box = await picture.boundingBox();
    return (box?.height ?? 0) / (box?.width ?? 1);
  };
  await expect.poll(measure).toBeCloseTo(900 / 1600, 2);
  await reader.route('**/uploads/**', () => {});
  await reader.reload({ waitUntil: 'commit' });
  await expect.poll(measure).toBeCloseTo(900 / 1600, 2);
});

test('an upload shows its progress, can be cancelled, delays posting, and says what is wrong', async ({
  sharedPage: page,
}) => {
  await askAndOpen(page, uniqueText('Will it arrive?'));
  const requests: (() => Promise<void>)[] = [];
  await page.route('**/api/uploads', (route) => void requests.push(() => route.continue()));
  await field(page).fill('Look: ');
  await give(page, 'paste', 'red.png', await plain('#a33'));
  await expect(field(page)).toHaveValue(/^Look: !\[Uploading red\.png …\]\(uploading:\d+\)$/u);
  await expectInView(page.getByRole('progressbar', { name: 'Uploading red.png …' }));
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(page.getByRole('alert')).toContainText('Wait until the pictures are uploaded');
  await page.getByRole('button', { name: 'Cancel upload' }).click();
  await expect(field(page)).toHaveValue('Look: ');

  // The author continues to write, and nothing takes the caret away.
  await give(page, 'paste', 'red.png', await plain('#a33'));
  await expect.poll(() => requests.length).toBe(2);
  await field(page).press('Control+End');
  await field(page).pressSequentially(' and so');
  await requests[1]?.();
  await expect(field(page)).toHaveValue(/^Look: !\[\]\([^)]+\) and so$/u);
  await field(page).pressSequentially(' on');
  await expect(field(page)).toHaveValue(/ and so on$/u);

  await give(page, 'paste', 'large.png', limits.uploadBytes + 1);
  await expectInView(page.getByRole('alert').filter({ hasText: 'large.png' }));
  await expect(page.getByText('Pictures must be 10 MB or smaller.')).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.unroute('**/api/uploads');
  await give(page, 'paste', 'text.png', Buffer.from('no picture'));
  await expect(page.getByText('text.png: This file could not be read as a picture.')).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.route('**/api/uploads', (route) => route.abort());
  await field(page).fill('');
  await give(page, 'paste', 'blue.png', await plain('#33a'));
  await expect(page.getByText('blue.png: The server cannot be reached.')).toBeVisible();
  await page.unroute('**/api/uploads');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(field(page)).toHaveValue(/^!\[\]\([^)]+\)$/u);
  // A second picture follows the first one, whose alternative text has the caret.
  await give(page, 'paste', 'green.png', await plain('#3a3'));
  await expect(field(page)).toHaveValue(/^!\[\]\([^)]+\)\n!\[\]\([^)]+\)$/u);
});

test('two uploads of the same name each become the picture in its place', async ({ sharedPage: page }) => {
  await askAndOpen(page, uniqueText('Which is which?'));
  const requests: (() => Promise<void>)[] = [];
  await page.route('**/api/uploads', (route) => void requests.push(() => route.continue()));
  for (const [at, colour] of ['#a33', '#33a'].entries()) {
    await give(page, 'paste', 'image.png', await plain(colour));
    await expect.poll(() => requests.length).toBe(at + 1);
    await field(page).press('Control+End');
    await field(page).pressSequentially(`(${at}) `);
  }
  await requests[1]?.();
  await expect(field(page)).toHaveValue(
    /^!\[Uploading image\.png …\]\(uploading:\d+\)\(0\) !\[\]\([^)]+\)\(1\) $/u,
  );
  await requests[0]?.();
  await expect(field(page)).toHaveValue(/^!\[\]\([^)]+\)\(0\) !\[\]\([^)]+\)\(1\) $/u);
});

test('a draft with an interrupted upload is not posted, and the reason is shown', async ({
  sharedPage: page,
  sharedMember: { displayName },
}) => {
  await askAndOpen(page, uniqueText('Where is the picture?'));
  await page.route('**/api/uploads', () => {});
  await field(page).fill('Look: ');
  await give(page, 'paste', 'red.png', await plain('#a33'));
  await expect(field(page)).toHaveValue(/uploading:/u);
  await page.reload();
  await waitForTexts(page);
  await expect(field(page)).toHaveValue(/uploading:/u);
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(page.getByRole('alert')).toContainText('A picture in the text was not uploaded.');
  await field(page).fill('Look here.');
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(page.getByRole('article', { name: `Answer by ${displayName}` })).toContainText('Look here.');
});

test('Ctrl+Enter in the title of a new question waits for the pictures in its details', async ({ page }) => {
  await openAskForm(page);
  const { title, details } = askFields(page);
  await details.fill('Look: ');
  await page.route('**/api/uploads', () => {});
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Picture' }).click();
  await (await chooser).setFiles({ name: 'red.png', mimeType: 'image/png', buffer: await plain('#a33') });
  await expect(details).toHaveValue(/uploading:/u);
  await title.fill(uniqueText('Too early'));
  await title.press('Control+Enter');
  await expect(page.getByRole('alert')).toContainText('Wait until the pictures are uploaded');
  await expect(page).toHaveURL('/ask');
});
