import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createPageRenderer } from './page-renderer.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'parley-renderer-'));
afterAll(() => rm(directory, { recursive: true }));

const page = (address: string) => ({
  origin: 'http://127.0.0.1',
  path: address,
  language: 'en',
  time: Date.now(),
  responses: new Map<string, string>(),
});

test('ends a rendering that takes too long, and renders the next pages', async () => {
  const file = path.join(directory, 'endless.mjs');
  await writeFile(
    file,
    `export async function renderPage({ path }) {
      while (path === '/endless');
      return path;
    }`,
  );
  const render = createPageRenderer(file, 500);
  const [endless, ...others] = await Promise.allSettled(
    ['/endless', '/first', '/second'].map(async (address) => render?.(page(address))),
  );
  expect(endless).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
  // Those that waited too long behind it are rendered by the browser.
  for (const { status } of others) expect(['rejected', 'fulfilled']).toContain(status);
  await expect(render?.(page('/third'))).resolves.toBe('/third');
});

test('rejects with the error of a rendering', async () => {
  const file = path.join(directory, 'failing.mjs');
  await writeFile(file, 'export async function renderPage() { throw new Error("No such component."); }');
  await expect(createPageRenderer(file)?.(page('/'))).rejects.toThrow('No such component.');
});

test('is null without a server part of the build', () => {
  expect(createPageRenderer(path.join(directory, 'missing.mjs'))).toBeNull();
});
