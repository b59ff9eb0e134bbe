import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Builder, type WebDriver } from 'selenium-webdriver';
import { findFreePort } from '#tests/support/free-port.ts';
import { eventually } from '#tests/support/eventually.ts';
import { hasEnded } from '#tests/support/parley-process.ts';

export type WebKit = {
  driver: WebDriver;
  close: () => Promise<void>;
};

/** Starts MiniBrowser, the test browser of WebKitGTK, on a virtual display (Xvfb). */
export async function startWebKit(): Promise<WebKit> {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await once(screen.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  const port = await findFreePort();
  const server = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...process.env, DISPLAY: `:${String(number).trim()}` },
    stdio: 'ignore',
  });
  const address = `http://127.0.0.1:${port}/`;
  await eventually(() =>
    fetch(`${address}status`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const driver = await new Builder()
    .usingServer(address)
    .withCapabilities(
      new Map<string, unknown>([
        ['browserName', 'MiniBrowser'],
        ['webkitgtk:browserOptions', { args: ['--automation'] }],
      ]),
    )
    .build();
  const close = async () => {
    await driver.quit();
    await end(server);
    await end(screen);
  };
  return { driver, close };
}

async function end(child: ChildProcess) {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
