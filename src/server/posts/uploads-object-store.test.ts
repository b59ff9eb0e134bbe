import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createObjectStore, ObjectStoreError } from '#server/core/object-store.ts';
import { startObjectStoreServer } from '#tests/support/object-store-server.ts';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { deleteObjects, movePictures, ownerKey, updateObjectStore } from './uploads-object-store.ts';
import { countUploadFiles } from './uploads-object-store-queries.ts';
import { cleanUpUploads } from './uploads.ts';

const bucket = await startObjectStoreServer();
const objectStore = createObjectStore(bucket.settings);
const server = await startTestServer({ objectStore });
afterAll(async () => {
  await server.stop();
  await bucket.remove();
});
const { db } = server;
const ann = await server.register('Ann');
const bob = await server.register('Bob');

const paint = (background: string) =>
  sharp({ create: { width: 900, height: 600, channels: 3, background } })
    .png()
    .toBuffer();

/** Requests a file as a browser does. */
async function show(path: string, { cookies }: { cookies: ReadonlyMap<string, string> } = ann) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(server.address + path, { headers: { cookie } });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const toObjectStore = () => movePictures({ db, objectStore, pictureStore: 's3' });
const toDatabase = () => movePictures({ db, objectStore, pictureStore: 'database' });
const storedKeys = async () =>
  (
    await sql<{
      key: string;
    }>`select object_key as key from upload_file where object_key is not null order by 1`.execute(db)
  ).rows.map(({ key }) => key);

describe('the files of pictures', () => {
  test('move to the object store and back, and are served unchanged by the same address', async () => {
    const path = await ann.upload(await paint('#c84'));
    const { bytes } = await show(path);
    const { database: files } = await countUploadFiles(db);

    expect(await toObjectStore()).toBe(files);

    expect(await countUploadFiles(db)).toEqual({ database: 0, objectStore: files });
    expect(await bucket.keys()).toEqual(await storedKeys());
    expect(await show(path)).toMatchObject({ status: 200, bytes });
    expect((await show(path, bob)).status).toBe(404);
    expect(await toObjectStore()).toBe(0);

    expect(await toDatabase()).toBe(files);
    await deleteObjects({ db, objectStore });

    expect(await countUploadFiles(db)).toEqual({ database: files, objectStore: 0 });
    expect(await bucket.keys()).toEqual([]);
    expect(await show(path)).toMatchObject({ status: 200, bytes });
  });

  test('are complete after a move that ended at any place', async () => {
    const path = await ann.upload(await paint('#48c'));
    const { bytes } = await show(path);
    let calls = 0;
    const dying = {
      ...objectStore,
      async put(key: string, content: Uint8Array) {
        // The first object is written, but the node dies before it stores that.
        if (calls++ === 0) await objectStore.put(key, content);
        throw new Error('killed');
      },
    };
    await expect(movePictures({ db, objectStore: dying, pictureStore: 's3' })).rejects.toThrow('killed');
    expect(await show(path)).toMatchObject({ status: 200, bytes });
    await toObjectStore();
    // No object is left over from the interrupted move.
    expect(await bucket.keys()).toEqual(await storedKeys());
    expect(await show(path)).toMatchObject({ status: 200, bytes });
  });

  test('stay in the database while the object store does not respond, and uploads work', async () => {
    const moved = await ann.upload(await paint('#8c4'));
    await toObjectStore();
    await bucket.stop();
    try {
      const path = await ann.upload(await paint('#84c'));
      await expect(toObjectStore()).rejects.toThrow(ObjectStoreError);
      expect((await show(path)).status).toBe(200);
      const refused = await show(moved);
      expect(refused).toMatchObject({ status: 503, retryAfter: '10' });
      expect(JSON.parse(refused.bytes.toString())).toMatchObject({ code: 'picture-store-unavailable' });
    } finally {
      await bucket.start();
    }
    await toObjectStore();
    expect((await countUploadFiles(db)).database).toBe(0);
    expect((await show(moved)).status).toBe(200);
  });

  test('are deleted in the object store after the picture was deleted', async () => {
    await toObjectStore();
    const before = await bucket.keys();
    const path = await bob.upload(await paint('#333'));
    await toObjectStore();
    const added = (await bucket.keys()).filter((key) => !before.includes(key));
    expect(added.length).toBeGreaterThan(0);
    // Bob's picture is in no post, and a day passes.
    await sql`update upload set uploaded_at = now() - interval '25 hours' where member_id = ${bob.id}`.execute(
      db,
    );
    await cleanUpUploads(db);
    expect((await show(path, bob)).status).toBe(404);
    await deleteObjects({ db, objectStore });
    expect(await bucket.keys()).toEqual(before);
    expect((await sql`select from deleted_object`.execute(db)).rows).toEqual([]);
  });

  test('of an avatar are deleted after its replacement', async () => {
    const eve = await server.register('Eve');
    expectOk(await eve.send('PUT', '/settings/avatar', { file: await paint('#f00') }));
    await toObjectStore();
    const first = await bucket.keys();
    expectOk(await eve.send('PUT', '/settings/avatar', { file: await paint('#0f0') }));
    await toObjectStore();
    await deleteObjects({ db, objectStore });
    expect((await bucket.keys()).length).toBe(first.length);
    expect(await bucket.keys()).not.toEqual(first);
    expect(await bucket.keys()).toEqual(await storedKeys());
  });

  test('are in the data export of the member', async () => {
    const path = await ann.upload(await paint('#abc'));
    await toObjectStore();
    const { bytes } = await show(path);
    const archive = await show('/api/data-export');
    expect(archive.status).toBe(200);
    expect(gunzipSync(archive.bytes).includes(bytes)).toBe(true);
  });

  test('without an object do not stop others from moving', async () => {
    await ann.upload(await paint('#654321'));
    await toObjectStore();
    const [lost = ''] = await storedKeys();
    const path = await ann.upload(await paint('#123456'));
    const { bytes } = await show(path);
    await toObjectStore();
    await objectStore.delete(lost);
    await toDatabase();
    expect((await countUploadFiles(db)).objectStore).toBe(1);
    expect(await show(path)).toMatchObject({ status: 200, bytes });
  });
});

test('a copy of the database neither deletes objects of the original nor adds its own', async () => {
  await ann.upload(await paint('#246'));
  expect(await updateObjectStore({ db, objectStore, pictureStore: 's3' })).toBe(true);
  const before = await bucket.keys();
  // Another database with the rows of the original. Some of its pictures were deleted.
  const copy = await startTestServer({ objectStore });
  try {
    const eve = await copy.register('Eve');
    await eve.upload(await paint('#642'));
    for (const key of before) await sql`insert into deleted_object (key) values (${key})`.execute(copy.db);
    const deps = { db: copy.db, objectStore, pictureStore: 's3' } as const;
    expect(await updateObjectStore(deps)).toBe(false);
    expect(await bucket.keys()).toEqual(before);
    // It replaces the original.
    await objectStore.delete(ownerKey);
    expect(await updateObjectStore(deps)).toBe(true);
    expect((await countUploadFiles(copy.db)).database).toBe(0);
    for (const key of before) expect(await bucket.keys()).not.toContain(key);
    expect(await updateObjectStore({ db, objectStore, pictureStore: 's3' })).toBe(false);
  } finally {
    await copy.stop();
    await objectStore.delete(ownerKey);
  }
});

describe('a database becomes the owner of a bucket', () => {
  afterEach(() => objectStore.delete(ownerKey));
  const accessDenied = () =>
    new ObjectStoreError('AccessDenied', {
      cause: Object.assign(new Error('Access Denied'), { name: 'AccessDenied' }),
    });
  const update = (changed: Partial<typeof objectStore>) =>
    updateObjectStore({ db, objectStore: { ...objectStore, ...changed }, pictureStore: 's3' });

  test('if its key may not list the bucket, so that a missing object is refused', async () => {
    const get = async (key: string) => {
      const found = await objectStore.get(key);
      if (found === undefined) throw accessDenied();
      return found;
    };
    expect(await update({ get })).toBe(true);
  });

  test('but not with a key that may write and not read', async () => {
    await objectStore.put(ownerKey, Buffer.from('another/1'));
    await expect(update({ get: () => Promise.reject(accessDenied()) })).rejects.toThrow('AccessDenied');
    expect((await objectStore.get(ownerKey))?.toString()).toBe('another/1');
  });

  test('but not if another one replaces it at the same time', async () => {
    const put = async (key: string, content: Uint8Array) => {
      await objectStore.put(key, content);
      if (key === ownerKey) await objectStore.put(key, Buffer.from('another/1'));
    };
    expect(await update({ put })).toBe(false);
  });
});

test('an object store that stops in the middle of an object is an error', async () => {
  const stalling = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
  }).listen(0, '127.0.0.1');
  await once(stalling, 'listening');
  const { port } = stalling.address() as AddressInfo;
  const store = createObjectStore({ ...bucket.settings, endpoint: `http://127.0.0.1:${port}` });
  await expect(store.get('a.webp')).rejects.toThrow(ObjectStoreError);
  stalling.closeAllConnections();
  stalling.close();
});

test('an object store that refuses the key is an error without the key in its message', async () => {
  const secretAccessKey = 'a-wrong-secret-value';
  const stranger = createObjectStore({ ...bucket.settings, secretAccessKey });
  await expect(stranger.put('x', Buffer.from('x'))).rejects.toThrow(/^SignatureDoesNotMatch: (?!.*a-wrong)/);
  await expect(stranger.get('x')).rejects.toThrow(ObjectStoreError);
});

test('a picture is not shown, and not lost, when the object store is no longer configured', async () => {
  const path = await ann.upload(await paint('#777'));
  await toObjectStore();
  const plain = await server.startSecondNode({ objectStore: undefined });
  try {
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(plain.address + path, { headers: { cookie } });
    expect(response.status).toBe(503);
  } finally {
    await plain.stop();
  }
  expect((await show(path)).status).toBe(200);
});
