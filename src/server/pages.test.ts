import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#server/testing/server.ts';

const folder = await mkdtemp(path.join(os.tmpdir(), 'parley-pages-'));
await mkdir(path.join(folder, 'assets'));
await writeFile(path.join(folder, 'index.html'), '<!doctype html><title>Parley</title>');
await writeFile(path.join(folder, 'service-worker.js'), 'self.registration;');
await writeFile(path.join(folder, 'manifest.webmanifest'), '{"name":"Parley"}');
await writeFile(path.join(folder, 'assets/index-1.js'), 'export {};');
const server = await startTestServer({}, undefined, folder);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const get = (address: string, at = server.address) => fetch(at + address);

test.each([
  ['/', 'text/html'],
  ['/question/1', 'text/html'],
  ['/ask?title=Shared&url=https%3A%2F%2Fexample.org', 'text/html'],
  ['/service-worker.js', 'text/javascript'],
  ['/manifest.webmanifest', 'application/manifest+json'],
])('%s is asked for anew at every visit', async (address, type) => {
  const response = await get(address);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-type')).toContain(type);
});

test('a page may run the service worker and read the manifest of its own server alone', async () => {
  const policy = (await get('/')).headers.get('content-security-policy');
  expect(policy).toContain("worker-src 'self'");
  expect(policy).toContain("manifest-src 'self'");
  expect(policy).toContain("script-src 'self';");
});

test('an operator can take back the service worker of every browser', async () => {
  expect(await (await get('/service-worker.js')).text()).toBe('self.registration;');
  const without = await server.beside({ serviceWorker: false });
  const response = await get('/service-worker.js', without.address);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-type')).toContain('text/javascript');
  expect(await response.text()).toContain('registration.unregister()');
  await without.stop();
});
