import { Hono } from 'hono';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { findNetworkAddress, warnOfMissingProxies } from './network-address.ts';

const find = (forwardedFor: string | undefined, trustedProxies: number) =>
  findNetworkAddress({ direct: '127.0.0.1', forwardedFor }, trustedProxies);

test('takes the address that the outermost trusted proxy saw, whatever the client sent', () => {
  expect(find('198.51.100.7, 203.0.113.9', 1)).toBe('203.0.113.9');
  expect(find('198.51.100.7, 203.0.113.9, 192.0.2.1', 2)).toBe('203.0.113.9');
  expect(find('203.0.113.9', 0)).toBe('127.0.0.1');
  expect(find(undefined, 2)).toBe('127.0.0.1');
});

test('takes the first address, not that of the connection, if there are fewer addresses than trusted proxies', () => {
  expect(find('203.0.113.9', 2)).toBe('203.0.113.9');
  expect(find('203.0.113.9, 192.0.2.1', 3)).toBe('203.0.113.9');
});

test('warns once of a request with fewer addresses than trusted proxies', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const app = new Hono()
    .use(warnOfMissingProxies({ trustedProxies: 2 }, log))
    .get('/', (c) => c.text('served'));
  const send = async (headers: Record<string, string>) => {
    expect(await (await app.request('/', { headers })).text()).toBe('served');
  };
  // A health check of the machine itself.
  await send({});
  await send({ 'x-forwarded-for': '203.0.113.9, 192.0.2.1' });
  expect(lines).toEqual([]);
  await send({ 'x-forwarded-for': '203.0.113.9' });
  await send({ 'x-forwarded-for': '203.0.113.9' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('TRUSTED_PROXIES is 2');
  expect(lines[0]).not.toContain('203.0.113.9');
});
