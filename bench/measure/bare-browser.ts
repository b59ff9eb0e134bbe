import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** An expression that is evaluated once the page was idle for a while. */
export type PageProbe = {
  url: string;
  cookie: { name: string; value: string };
  /** CPU throttling factor. */
  slowdown: number;
  /** True once the page is ready for the expression. */
  ready: string;
  /** A promise of a JSON value. */
  expression: string;
};

/**
 * Controls Chromium directly over the DevTools protocol, without sending commands while the page loads. Test drivers
 * subscribe to every request, script and frame, which with a throttled CPU costs more than the page itself.
 */
export async function startBareBrowser(executable: string) {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'parley-browser-'));
  const browser = spawn(
    executable,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--window-size=1280,720',
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(browser, 'exit');
  const devtools = await connect(await addressIn(browser.stderr));

  return {
    /** A first visit with an empty cache. */
    async look({ url, cookie, slowdown, ready, expression }: PageProbe): Promise<unknown> {
      const { browserContextId } = await devtools<{ browserContextId: string }>(
        'Target.createBrowserContext',
      );
      const cookies = [{ ...cookie, url }];
      await devtools('Storage.setCookies', { browserContextId, cookies });
      const blank = { url: 'about:blank', browserContextId };
      const { targetId } = await devtools<{ targetId: string }>('Target.createTarget', blank);
      const attached = { targetId, flatten: true };
      const { sessionId } = await devtools<{ sessionId: string }>('Target.attachToTarget', attached);
      await devtools('Emulation.setCPUThrottlingRate', { rate: slowdown }, sessionId);
      await devtools('Page.navigate', { url }, sessionId);
      const evaluate = async (text: string) => {
        const asked = { expression: text, awaitPromise: true, returnByValue: true };
        const { result, exceptionDetails } = await devtools<Evaluated>('Runtime.evaluate', asked, sessionId);
        if (exceptionDetails !== undefined)
          throw new Error(`the page failed: ${JSON.stringify(exceptionDetails)}`);
        return result.value;
      };
      await pause(settling);
      for (let seconds = 0; (await evaluate(ready)) !== true; seconds++) {
        if (seconds === patience) throw new Error(`${url} was not ready after ${patience} s`);
        await pause(1_000);
      }
      const result = await evaluate(expression);
      await devtools('Target.disposeBrowserContext', { browserContextId });
      return result;
    },
    async stop() {
      await devtools('Browser.close');
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Milliseconds in which a slow page loads undisturbed; afterwards it is polled every second, for this many seconds. */
const [settling, patience] = [8_000, 60];

const pause = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of output) {
    text += String(piece);
    const address = /ws:\/\/\S+/u.exec(text)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error(`the browser did not start:\n${text}`);
}

type Send = <Result>(method: string, params?: object, sessionId?: string) => Promise<Result>;

type Evaluated = { result: { value?: unknown }; exceptionDetails?: object };

/** Sends commands of the DevTools protocol; each resolves with its result. */
async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as {
      id?: number;
      result?: unknown;
      error?: { message: string };
    };
    const asked = waiting.get(id ?? 0);
    if (asked === undefined) return;
    waiting.delete(id ?? 0);
    if (error === undefined) asked.resolve(result);
    else asked.reject(new Error(error.message));
  });
  return <Result>(method: string, params: object = {}, sessionId?: string) => {
    const answer = Promise.withResolvers<unknown>();
    waiting.set(++last, answer);
    socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    return answer.promise as Promise<Result>;
  };
}
