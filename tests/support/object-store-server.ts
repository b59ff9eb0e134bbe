import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { ObjectStoreSettings } from '#server/core/object-store.ts';

/** A server that speaks the protocol of S3, checks signatures, and stores objects in files. */
export type ObjectStoreServer = {
  settings: ObjectStoreSettings;
  /** The keys of all pictures, without the prefix. */
  keys: () => Promise<string[]>;
  /** Refuses connections until `start`. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  remove: () => Promise<void>;
};

const bucket = 'pictures';
const prefix = 'parley/';

export async function startObjectStoreServer(): Promise<ObjectStoreServer> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley objects '));
  let running = await run(0);
  const { port } = running;
  return {
    settings: {
      bucket,
      prefix,
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      // The only key that the test server knows.
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    async keys() {
      const names = await readdir(path.join(directory, bucket, prefix)).catch(() => []);
      return names
        .filter((name) => name.endsWith('.webp._S3rver_object'))
        .map((name) => name.replace('._S3rver_object', ''))
        .toSorted();
    },
    stop: () => running.stop(),
    async start() {
      running = await run(port);
    },
    async remove() {
      await running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };

  async function run(wanted: number) {
    const server = new S3rver({
      address: '127.0.0.1',
      port: wanted,
      silent: true,
      directory,
      vhostBuckets: false,
      configureBuckets: [{ name: bucket }],
    });
    const address = await server.run();
    return {
      port: address.port,
      async stop() {
        server.httpServer.closeAllConnections();
        if (server.httpServer.listening) await server.close();
      },
    };
  }
}
