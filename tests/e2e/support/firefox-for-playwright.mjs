#!/usr/bin/env node
// Starts Firefox (PARLEY_FIREFOX) for Playwright, and corrects two faults of their connection by WebDriver BiDi:
// 1. Playwright 1.65 sets media features in every page and gives up if the browser does not know this command, which
//    Firefox 153 does not.
// 2. Playwright's fill sets the value of a field from the page's own scripts, where React replaces the property and then
//    ignores the change. A field receives the text as if it was pasted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';

const unknownCommand = 'emulation.setMediaFeaturesOverride';
const addPreloadScript = {
  id: Number.MAX_SAFE_INTEGER,
  method: 'script.addPreloadScript',
  params: {
    functionDeclaration: `() => Object.defineProperty(window, '__pw_bidiInsertText', {
      get: () => (text) => void document.execCommand('insertText', false, text),
      set() {},
    })`,
  },
};

const firefox = spawn(process.env['PARLEY_FIREFOX'] ?? 'firefox', process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
});
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
  process.on(signal, () => firefox.kill(signal));
firefox.on('exit', (code) => process.exit(code ?? 1));

for await (const line of createInterface({ input: firefox.stderr })) {
  const address = /WebDriver BiDi listening on (ws:\/\/.*)$/u.exec(line)?.[1];
  console.error(address === undefined ? line : `WebDriver BiDi listening on ${await listen(address)}`);
}

/**
 * Serves the connection to a browser. Returns its address.
 * @param {string} browserAddress
 */
async function listen(browserAddress) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (client) => connect(client, new WebSocket(`${browserAddress}/session`)));
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `ws://127.0.0.1:${address.port}`;
}

/**
 * @param {WebSocket} client
 * @param {WebSocket} browser
 */
function connect(client, browser) {
  /** @type {string[]} */
  const early = [];
  /** @param {string} text */
  const send = (text) => {
    if (browser.readyState === WebSocket.OPEN) browser.send(text);
    else early.push(text);
  };
  browser.on('open', () => early.forEach((text) => browser.send(text)));
  client.on('message', (data) => {
    const text = toText(data);
    const { id, method } = JSON.parse(text);
    if (method === unknownCommand) client.send(JSON.stringify({ type: 'success', id, result: {} }));
    else send(text);
    if (method === 'session.new') send(JSON.stringify(addPreloadScript));
  });
  browser.on('message', (data) => {
    const text = toText(data);
    if (JSON.parse(text).id !== addPreloadScript.id) client.send(text);
  });
  browser.on('close', () => client.close());
  client.on('close', () => browser.close());
}

/** @param {import('ws').RawData} data */
function toText(data) {
  return Buffer.isBuffer(data) ? data.toString() : '';
}
