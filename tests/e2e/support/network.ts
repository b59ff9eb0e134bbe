import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a browser and a server that a test can interrupt. */
export type Network = {
  /** The address that the browser opens instead of the server's. */
  address: string;
  /** Drops all packets without closing connections, like a pulled cable. */
  lose: () => void;
  /** Closes the interrupted connections; new ones work. */
  restore: () => void;
  close: () => Promise<void>;
};

export async function startNetwork(address: string): Promise<Network> {
  const { hostname, port } = new URL(address);
  const open = new Set<Socket>();
  let lost = false;
  const server = createServer((browser) => {
    open.add(browser);
    browser.on('error', () => {});
    browser.on('close', () => open.delete(browser));
    if (lost) return void browser.pause();
    const parley = connect(Number(port), hostname);
    open.add(parley);
    parley.on('error', () => browser.destroy());
    parley.on('close', () => {
      open.delete(parley);
      browser.destroy();
    });
    browser.on('close', () => parley.destroy());
    browser.on('data', (bytes) => lost || parley.write(bytes));
    parley.on('data', (bytes) => lost || browser.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose: () => (lost = true),
    restore() {
      end();
      lost = false;
    },
    async close() {
      end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
