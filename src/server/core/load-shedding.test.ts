import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { startHttpServer } from './http-server.ts';
import type { Viewer } from './http.ts';
import { maxLoadLevel, nextLoadLevel, monitorSystemLoad } from './system-load.ts';
import { createLoadShedding } from './load-shedding.ts';

let level = 0;
const { handler, rejectedCount } = await createLoadShedding({
  systemLoad: { level: () => level },
  viewerOf: (cookie) => (cookie === 'known' ? ({ id: 1, sessionId: 1 } as Viewer) : undefined),
  headers: { 'x-content-type-options': 'nosniff' },
  next: (_, response) => response.end('done'),
});
const http = await startHttpServer(handler, '127.0.0.1', 0);
afterAll(() => http.stop(0));

const member = { cookie: 'known' };
const ask = (address: string, init?: RequestInit) => fetch(http.address + address, init);
const asked = {
  visiting: () => ask('/api/session'),
  searching: () => ask('/api/search?q=bread', { headers: member }),
  writing: () => ask('/api/questions/1/vote', { method: 'PUT', body: '{}', headers: member }),
  'using an unknown session': () => ask('/api/feeds/recent', { headers: { cookie: 'unknown' } }),
  reading: () => ask('/api/questions/1', { headers: member }),
  'asking for a file of the program': () => ask('/assets/index.js'),
  'looking whether it lives': () => ask('/healthz'),
  'reading metrics': () => ask('/metrics?node=1'),
  'visiting a page that begins like them': () => ask('/healthzfoo'),
};

const pages = ['visiting a page that begins like them'];

describe('load shedding', () => {
  test.each([
    [0, []],
    [1, ['visiting', 'searching', ...pages]],
    [2, ['visiting', 'searching', 'writing', 'using an unknown session', ...pages]],
    [maxLoadLevel, ['visiting', 'searching', 'writing', 'using an unknown session', 'reading', ...pages]],
  ])('refuses at level %i: %j', async (now, expected) => {
    level = now;
    const statuses: string[] = [];
    for (const [what, request] of Object.entries(asked)) {
      const { status } = await request();
      expect([200, 503]).toContain(status);
      if (status === 503) statuses.push(what);
    }
    expect(statuses).toEqual(expected);
  });

  test('responds with a clear message and a time to retry', async () => {
    level = 1;
    const before = rejectedCount();
    const api = await asked.searching();
    expect(api.headers.get('content-type')).toBe('application/problem+json');
    expect(api.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Number(api.headers.get('retry-after'))).toBeGreaterThan(1);
    expect(await api.json()).toMatchObject({ kind: 'busy', detail: expect.stringContaining('busy') });
    expect(await (await ask('/login')).text()).toContain('will reload automatically');
    expect(rejectedCount()).toBe(before + 2);
  });
});

test('raises the level on long waits, faster on very long ones, and lowers it afterwards', () => {
  expect(nextLoadLevel(0, 0.9)).toBe(0);
  expect(nextLoadLevel(0, 1.5)).toBeCloseTo(0.3);
  expect(nextLoadLevel(0, 100)).toBe(1);
  expect(nextLoadLevel(2.9, 100)).toBe(maxLoadLevel);
  expect(nextLoadLevel(1, 0.7)).toBe(1);
  expect(nextLoadLevel(1, 0.1)).toBeCloseTo(0.9);
  expect(nextLoadLevel(0.05, 0)).toBe(0);
});

test('raises the level while all database connections are taken, and lowers it afterwards', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection, maxConnections: 1 });
  const pressure = monitorSystemLoad({
    db,
    countWaiting: () => 1,
    waitUntilAccepted: async () => {},
    intervalMs: 20,
  });
  try {
    let release = () => {};
    const taken = db.connection().execute(() => new Promise<void>((resolve) => (release = resolve)));
    await expect.poll(pressure.level, { timeout: 10_000 }).toBeGreaterThan(1);
    release();
    await taken;
    await expect.poll(pressure.level, { timeout: 10_000 }).toBe(0);
  } finally {
    pressure.stop();
    await db.destroy();
    await drop();
  }
});

test('raises the level while new connections wait to be accepted, and lowers it afterwards', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection });
  let accept = () => {};
  let admitted = () => new Promise<void>((resolve) => (accept = resolve));
  const pressure = monitorSystemLoad({
    db,
    countWaiting: () => 0,
    waitUntilAccepted: () => admitted(),
    intervalMs: 20,
  });
  try {
    await expect.poll(pressure.level, { timeout: 10_000 }).toBeGreaterThan(1);
    admitted = http.waitUntilAccepted;
    accept();
    await expect.poll(pressure.level, { timeout: 10_000 }).toBe(0);
  } finally {
    pressure.stop();
    await db.destroy();
    await drop();
  }
});
