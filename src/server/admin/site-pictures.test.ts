import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSitePicturePath, iconFiles, logoFile } from '#shared/core/site-pictures.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { createPng, createPngPicture } from '#tests/support/pictures.ts';
import { startTestServer } from '#tests/support/server.ts';
import { setRole } from './roles.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-site-pictures-'));
const links =
  '<link rel="icon" href="/favicon.svg" /><link rel="apple-touch-icon" href="/icons/touch.png" />';
await writeFile(path.join(directory, 'index.html'), `<html><head>${links}</head></html>`);
await writeFile(path.join(directory, 'manifest.webmanifest'), '{"icons":[{"src":"/icons/icon-192.png"}]}');
const server = await startTestServer({}, undefined, directory);
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});
let ann: Member;
let ben: Member;
beforeAll(async () => {
  [ann, ben] = [await server.register('Ann Logo'), await server.register('Ben Logo')];
  await setRole(server.db, { email: ann.email, role: 'admin' });
});

const upload = (member: Member, name: 'logo' | 'icon', file: Uint8Array) =>
  member.send<{ value: string }>('PUT', `/admin/pictures/${name}`, { file });
const readLogo = async () => expectOk(await server.visitor().get<{ logo: string }>('/session')).logo;
const open = (address: string) => fetch(server.address + address);

test('a logo is stored small enough for the top bar, shown to visitors, and can be undone', async () => {
  const value = expectOk(await upload(ann, 'logo', createPngPicture({ width: 960, height: 96 }))).value;
  expect(value).toMatch(/^[\w-]{22}-480x48$/u);
  await eventually(async () => (await readLogo()) === value);
  const response = await open(getSitePicturePath(value, logoFile));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject({ width: 480, height: 48 });
  const { items } = expectOk(await ann.get<ModerationLog>('/moderation/log'));
  expect(items[0]).toMatchObject({ action: 'setting', subject: 'logo' });
  expectOk(await ann.post('/admin/settings/undo', { entryId: items[0]?.id }));
  await eventually(async () => (await readLogo()) === '');
});

test('an icon becomes the icons of the page and of the installed app', async () => {
  const value = expectOk(await upload(ann, 'icon', createPngPicture({ width: 60, height: 40 }))).value;
  const favicon = getSitePicturePath(value, 'favicon.png');
  await eventually(async () => (await (await open('/index.html')).text()).includes(favicon));
  const html = await (await open('/index.html')).text();
  expect(html).toContain(getSitePicturePath(value, 'apple-touch-icon.png'));
  expect(html).not.toContain('/icons/touch.png');
  const manifest = (await (await open('/manifest.webmanifest')).json()) as { icons: { src: string }[] };
  expect(manifest.icons.map(({ src }) => src)).toEqual(
    (['icon-192.png', 'icon-512.png', 'maskable-192.png', 'maskable-512.png'] as const).map((file) =>
      getSitePicturePath(value, file),
    ),
  );
  for (const { file, width, isOpaque } of iconFiles) {
    const picture = sharp(await (await open(getSitePicturePath(value, file))).arrayBuffer());
    expect(await picture.metadata()).toMatchObject({ format: 'png', width, height: width });
    expect((await picture.stats()).isOpaque || !isOpaque).toBe(true);
  }
  expectOk(await ann.put('/admin/settings/icon', { value: '' }));
  await eventually(async () => (await (await open('/index.html')).text()).includes('/favicon.svg'));
});

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['a damaged picture', createPng({ width: 40, height: 40, data: Buffer.from('no pixels') })],
  ['a decompression bomb', createPng({ width: 60_000, height: 60_000, data: Buffer.from('') })],
])('refuses %s', async (_, file) => {
  for (const name of ['logo', 'icon'] as const)
    expect((await upload(ann, name, file)).body).toMatchObject({ code: expect.stringMatching(/^upload-/u) });
});

test('only admins change the pictures, and only to those that were uploaded', async () => {
  expect((await upload(ben, 'logo', createPngPicture())).status).toBe(404);
  for (const value of ['abc', `${'a'.repeat(22)}-10x10`])
    expect((await ann.put('/admin/settings/logo', { value })).status).toBe(400);
  for (const file of ['/branding/abc/logo.webp', `/branding/${'a'.repeat(22)}-10x10/logo.webp`])
    expect((await open(file)).status).toBe(404);
});
