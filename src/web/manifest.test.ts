import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import css from './app/theme.css?raw';

const publicDirectory = path.join(import.meta.dirname, 'public');
const image = z.object({ src: z.string(), sizes: z.string(), type: z.literal('image/png') });
const colours = { theme_color: z.string(), background_color: z.string() };
const manifest = z
  .object({
    ...colours,
    user_preferences: z.object({ color_scheme: z.object({ dark: z.object(colours) }) }),
    icons: z.array(image.extend({ purpose: z.enum(['any', 'maskable']) })),
    shortcuts: z.array(z.object({ url: z.string(), icons: z.array(image) })),
  })
  .parse(JSON.parse(await readFile(path.join(publicDirectory, 'manifest.webmanifest'), 'utf8')));

test('has every icon of the installed app in the declared size', async () => {
  const images = [...manifest.icons, ...manifest.shortcuts.flatMap(({ icons }) => icons)];
  for (const { src, sizes } of images) {
    const png = await readFile(path.join(publicDirectory, src));
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    expect(`${src} ${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(`${src} ${sizes}`);
  }
  for (const purpose of ['any', 'maskable'] as const) {
    const own = manifest.icons.filter((icon) => icon.purpose === purpose);
    expect(own.map(({ sizes }) => sizes)).toEqual(['192x192', '512x512']);
  }
});

test("uses the same background for the installed app, the browser's toolbar and the pages, in light and dark", async () => {
  const [light, dark] = [...css.matchAll(/--paper: (#\w+);/gu)].map(([, colour]) => colour);
  const { theme_color, background_color, user_preferences } = manifest;
  expect({ theme_color, background_color }).toEqual({ theme_color: light, background_color: light });
  expect(user_preferences.color_scheme.dark).toEqual({ theme_color: dark, background_color: dark });
  expect(await readFile(path.join(publicDirectory, 'theme.js'), 'utf8')).toContain(
    `{ light = '${light}', dark: night = '${dark}' }`,
  );
});
