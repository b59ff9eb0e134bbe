import sharp from 'sharp';
import { expect, test } from 'vitest';
import { previewPath, previewTexts, renderPreview } from './preview-pictures.ts';

const texts = (title: string, authorName = 'Ann', answerCount = 2, accentColor = '') =>
  previewTexts({ title, authorName, answerCount }, { siteName: 'Parley', accentColor });

/** The bounds of what is not background in a band of the picture, in pixels. */
async function findText(png: Buffer, { top, height }: { top: number; height: number }) {
  const band = await sharp(png).extract({ left: 0, top, width: 1200, height }).removeAlpha().png().toBuffer();
  const { info } = await sharp(band).trim({ threshold: 20 }).toBuffer({ resolveWithObject: true });
  const left = -(info.trimOffsetLeft ?? 0);
  return { left, right: left + info.width, height: info.height };
}

const titleBand = { top: 160, height: 340 };

test.each([
  ['a long word', 'Donaudampfschiff'.repeat(13)],
  ['the longest title of wide letters', 'WM '.repeat(67)],
  ['markup', '<b>"a" & \'b\'</b> &amp; <span size="900000">'],
  ['Chinese and Japanese', '为什么金属比木头感觉更冷？日本語のタイトル'],
  ['emoji', '🎉 emoji 👨‍👩‍👧 '],
  ['characters that change the direction', '\u202Eevil \u2066\u200Fx'],
  ['many combining characters', `a${'\u0301'.repeat(199)}`],
])('renders a title with %s within its margins', async (_, title) => {
  const { body } = await renderPreview(texts(title, title));
  expect(await sharp(body).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 });
  expect(body.length).toBeLessThan(100_000);
  const { left, right, height } = await findText(body, titleBand);
  expect(left).toBeGreaterThanOrEqual(70);
  expect(right).toBeLessThanOrEqual(1_130);
  expect(height).toBeGreaterThan(10);
});

test('renders a title without any letter', async () => {
  const { body } = await renderPreview(texts('\u202E\u200B', '\u200B'));
  expect(await sharp(body).metadata()).toMatchObject({ width: 1200, height: 630 });
});

test('begins a title from right to left at the right margin', async () => {
  const { body } = await renderPreview(texts('لماذا تبدو المعادن أبرد؟'));
  const { left, right } = await findText(body, titleBand);
  expect(left).toBeGreaterThan(200);
  expect(right).toBeGreaterThan(1_090);
});

test('the address of a picture changes with its texts', () => {
  const path = previewPath(5, texts('Why?'));
  expect(path).toMatch(/^\/question\/5\/preview\.png\?v=[\w-]{8}$/u);
  expect(previewPath(5, texts('Why?'))).toBe(path);
  expect(previewPath(5, texts('Why?', 'Bob'))).not.toBe(path);
  expect(previewPath(5, texts('Why?', 'Ann', 3))).not.toBe(path);
  expect(previewPath(5, texts('Why?', 'Ann', 2, '#a01010'))).not.toBe(path);
});
