import { expect, onTestFinished, test } from 'vitest';
import { defaultSettings } from '#tests/support/server.ts';
import { startHttpServer } from './http-server.ts';
import { createRecentPages } from './recent-pages.ts';

/** A server whose page is `content` at the time it is asked; `time` is in milliseconds. */
async function startPageServer() {
  const state = { time: 0, content: 'old', isAdded: true, asked: 0 };
  const options = {
    settings: defaultSettings,
    hasPublicReading: () => true,
    canVisit: undefined,
    measure: undefined,
  };
  const pages = await createRecentPages(options, () => state.time);
  const handler = pages.serve(({ url = '', headers }, response) => {
    state.asked++;
    const body = new TextEncoder().encode(state.content);
    const page = {
      body,
      encoding: 'identity',
      inlineCode: { scripts: '', styles: '' },
      etag: 'W/"1"',
      isOpen: false,
    };
    const { host, 'accept-language': acceptLanguage, 'accept-encoding': encodings } = headers;
    const acceptEncoding = String(encodings);
    if (state.isAdded) pages.add({ host, url, acceptLanguage, acceptEncoding }, page);
    response.end(body);
  });
  const http = await startHttpServer(handler, '127.0.0.1', 0);
  onTestFinished(() => http.stop(0));
  const read = async (init?: RequestInit) => (await fetch(`${http.address}/question/1`, init)).text();
  return { state, read };
}

test('asks the API again after a second', async () => {
  const { state, read } = await startPageServer();
  await read();
  state.content = 'new';
  state.time = 999;
  expect(await read()).toBe('old');
  state.time = 1_000;
  expect([await read(), await read()]).toEqual(['new', 'new']);
  expect(state.asked).toBe(2);
});

test('lets one request ask the API while the others get the page, for a second at most', async () => {
  const { state, read } = await startPageServer();
  await read();
  Object.assign(state, { content: 'new', isAdded: false, time: 1_000 });
  expect([await read(), await read(), await read()]).toEqual(['new', 'old', 'old']);
  state.time = 1_999;
  expect(await read()).toBe('old');
  state.time = 2_000;
  expect([await read(), await read()]).toEqual(['new', 'new']);
  expect(state.asked).toBe(4);
});

test('tells pages in other languages apart', async () => {
  const { state, read } = await startPageServer();
  await read({ headers: { 'accept-language': 'de' } });
  state.content = 'new';
  expect(await read({ headers: { 'accept-language': 'fr' } })).toBe('new');
  expect(await read({ headers: { 'accept-language': 'de' } })).toBe('old');
});
