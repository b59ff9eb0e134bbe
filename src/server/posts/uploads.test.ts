import { deflateSync } from 'node:zlib';
import { sql } from 'kysely';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { limits, serverLimits } from '#shared/core/limits.ts';
import type { ApiScope } from '#shared/integrations/api-tokens.ts';
import type { EditSuggestionTexts } from '#shared/moderation/edit-suggestions.ts';
import { getPictureSizes, parseUploadPath } from '#shared/core/uploads.ts';
import { createToken } from '#tests/support/api-tokens.ts';
import { type ApiClient, expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';
import { createPng, createPngPicture } from '#tests/support/pictures.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { eventually } from '#tests/support/parley.ts';
import { encodePicture } from './uploads-encoding.ts';
import { cleanUpUploads } from './uploads.ts';

const { server, ann, bob, eve, moderator } = await startModeration();
const { db } = server;
const visitor = server.visitor();

/** Requests a file as a browser does for `<img>`. */
async function show(client: ApiClient, path: string) {
  const cookie = [...client.cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(server.address + path, { headers: { cookie } });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const statusOf = async (client: ApiClient, path: string) => (await show(client, path)).status;
const send = (member: Member, bytes: Uint8Array) => member.send('POST', '/uploads', { file: bytes });
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c84' } });
const countUploads = async () =>
  (await sql<{ count: number }>`select count(*)::int as count from upload`.execute(db)).rows[0]?.count;

describe('an uploaded picture', () => {
  let path = '';
  /** 1600 × 900 pixels as a camera stores them, turned by a quarter, with a place and a comment. */
  let photo = Buffer.alloc(0);

  beforeAll(async () => {
    photo = await plain(1600, 900)
      .withMetadata({
        orientation: 6,
        exif: { IFD0: { Copyright: 'Secret author' }, IFD3: { GPSLatitudeRef: 'N' } },
      })
      .jpeg()
      .toBuffer();
    path = await ann.upload(photo);
  });

  test('is stored as WebP in several sizes, upright and without metadata', async () => {
    expect((await sharp(photo).metadata()).exif?.includes('Secret author')).toBe(true);
    const file = parseUploadPath(path);
    expect(file).toMatchObject({ width: 900, height: 1600 });
    for (const { width, height } of getPictureSizes({ width: 900, height: 1600 })) {
      const { status, bytes } = await show(ann, `/uploads/${file?.name}/${width}x${height}.webp`);
      const { format, exif, icc, xmp, ...stored } = await sharp(bytes).metadata();
      expect({ status, format, width: stored.width, height: stored.height }).toEqual({
        status: 200,
        format: 'webp',
        width,
        height,
      });
      expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined]);
      expect(bytes.includes('Secret')).toBe(false);
    }
    expect(await statusOf(ann, `/uploads/${file?.name}/900x1601.webp`)).toBe(404);
    expect(await statusOf(ann, `/uploads/${file?.name}/../900x1600.webp`)).toBe(404);
  });

  test('is served so that a browser caches it, and runs nothing of it', async () => {
    const { headers } = await show(ann, path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test('of a private community is shown to an API token with the scope read, as members see it', async () => {
    const fetchWith = (token: string) =>
      fetch(server.address + path, { headers: { authorization: `Bearer ${token}` } });
    const { token } = await createToken(ann, ['read']);
    const response = await fetchWith(token);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toContain('private');
    expect(response.headers.get('vary')).toMatch(/authorization.*cookie/u);
    const statusFor = async (member: Member, scope: ApiScope) =>
      (await fetchWith((await createToken(member, [scope])).token)).status;
    expect(await statusFor(ann, 'lists')).toBe(403);
    // No post shows it, and moderators decide about posts in the browser.
    expect(await statusFor(bob, 'read')).toBe(404);
    expect(await statusFor(moderator, 'read')).toBe(404);
    expect((await fetchWith('parley_unknown')).status).toBe(401);
  });

  test('has the same address when its member uploads it again, and another one for another member', async () => {
    const [again, twice] = await Promise.all([ann.upload(photo), ann.upload(photo)]);
    expect([again, twice]).toEqual([path, path]);
    expect(parseUploadPath(await bob.upload(photo))?.name).not.toBe(parseUploadPath(path)?.name);
  });

  test('is stored once if the same new file is uploaded twice at the same time', async () => {
    const before = (await countUploads()) ?? 0;
    const picture = createPngPicture();
    const elsewhere = await server.startSecondNode();
    const paths = await Promise.all([eve.upload(picture), eve.onServer(elsewhere.address).upload(picture)]);
    await elsewhere.stop();
    expect(new Set(paths).size).toBe(1);
    expect(await countUploads()).toBe(before + 1);
  });
});

describe('sizes', () => {
  test.each([
    [{ width: 100, height: 50 }, '100x50'],
    [{ width: 700, height: 700 }, '320x320 700x700'],
    [{ width: 1920, height: 1080 }, '320x180 640x360 1280x720 1920x1080'],
    [{ width: 6000, height: 4000 }, '320x213 640x427 1280x854 2560x1707'],
    [{ width: 1080, height: 40_000 }, '320x11861 442x16383'],
    [{ width: 20_000, height: 1 }, '320x1 640x1 1280x1 2560x1'],
  ])('of %o are never larger than the picture', (picture, sizes) => {
    const text = getPictureSizes(picture).map(({ width, height }) => `${width}x${height}`);
    expect(text.join(' ')).toBe(sizes);
  });
});

describe('a file is refused', () => {
  const refusals: Record<string, [code: string, create: () => Promise<Uint8Array> | Uint8Array]> = {
    'without bytes': ['upload-not-picture', () => Buffer.alloc(0)],
    'with a script as SVG': [
      'upload-not-picture',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    ],
    'that is HTML': ['upload-not-picture', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    'that is PDF': ['upload-not-picture', () => Buffer.from('%PDF-1.7\n1 0 obj\n')],
    'that is TIFF': ['upload-not-picture', () => plain(30, 30).tiff().toBuffer()],
    'that is AVIF': ['upload-not-picture', () => plain(30, 30).avif().toBuffer()],
    'that has the first bytes of a PNG': [
      'upload-not-picture',
      () => Buffer.concat([createPngPicture().subarray(0, 20), Buffer.from('<script>')]),
    ],
    'that is truncated': [
      'upload-damaged',
      async () => {
        const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
        const create = { width: 400, height: 400, channels: 3 as const, background: '#888', noise };
        return (await sharp({ create }).jpeg().toBuffer()).subarray(0, 20_000);
      },
    ],
    'that claims more pixels than allowed': [
      'upload-too-many-pixels',
      () => createPng({ width: 60_000, height: 60_000, data: deflateSync(Buffer.alloc(1000)) }),
    ],
    'with too many bytes': ['upload-too-large', () => Buffer.alloc(limits.uploadBytes + 1)],
  };

  test.each(Object.entries(refusals))('%s', async (_, [code, create]) => {
    const before = await countUploads();
    expect(await send(ann, await create())).toMatchObject({ code });
    expect(await countUploads()).toBe(before);
  });

  test('with too many bytes in a body without a stated length', async () => {
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
    const chunks = Array.from({ length: 11 }, () => new Uint8Array(1_000_000));
    const response = await fetch(`${server.address}/api/uploads`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/octet-stream' },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    });
    expect(await response.json()).toMatchObject({ code: 'upload-too-large' });
  });

  test('that takes too long or too much memory', async () => {
    const picture = await plain(3000, 3000).png().toBuffer();
    const megabyte = 1024 * 1024;
    for (const within of [
      { maxMs: 1, maxMemory: 512 * megabyte },
      { maxMs: 30_000, maxMemory: megabyte },
    ])
      await expect(encodePicture(picture, 'picture', within)).rejects.toMatchObject({
        code: 'upload-too-expensive',
      });
  });
});

test('what is hidden in a valid picture is not stored', async () => {
  const script = '<script>alert(document.domain)</script>';
  const gif = await plain(20, 10).gif().toBuffer();
  const png = Buffer.concat([createPngPicture(), Buffer.from(`PK\u0003\u0004${script}`)]);
  for (const file of [Buffer.concat([gif, Buffer.from(script)]), png]) {
    const { bytes } = await show(ann, await ann.upload(file));
    expect(bytes.includes('script')).toBe(false);
    expect((await sharp(bytes).metadata()).format).toBe('webp');
  }
});

test('of an animation, the first frame is stored', async () => {
  const frames = { raw: { width: 10, height: 40, channels: 3 as const, pageHeight: 10 } };
  const animation = await sharp(Buffer.alloc(1200, 200), frames)
    .gif({ delay: [100, 100, 100, 100] })
    .toBuffer();
  expect(parseUploadPath(await ann.upload(animation))).toMatchObject({ width: 10, height: 10 });
});

describe('a picture is shown to other members', () => {
  test('only while a visible post shows it, and never to visitors', async () => {
    const path = await ann.upload(createPngPicture());
    expect(await statusOf(ann, path)).toBe(200);
    expect(await statusOf(bob, path)).toBe(404);
    const id = await ann.ask({ content: `Look: ![bread](${path})` });
    expect(await statusOf(bob, path)).toBe(200);
    expect(await statusOf(visitor, path)).toBe(404);
    expectOk(await actOnPost(moderator, 'hide', 'question', id));
    expect(await statusOf(bob, path)).toBe(404);
    expect([await statusOf(ann, path), await statusOf(moderator, path)]).toEqual([200, 200]);
    expectOk(await actOnPost(moderator, 'restore', 'question', id));
    expect(await statusOf(bob, path)).toBe(200);
    await ann.remove('questions', id);
    expect(await statusOf(bob, path)).toBe(404);
  });

  test('not again when another member writes its address after its post was deleted or hidden', async () => {
    const writings = [
      async (content: string) => bob.ask({ content }),
      async (content: string) => bob.answer(await ann.ask(), content),
      async (content: string) => bob.replyToQuestion(await ann.ask(), { content }),
    ];
    for (const write of writings)
      for (const isHidden of [true, false]) {
        const path = await ann.upload(createPngPicture());
        const id = await ann.ask({ content: `![bread](${path})` });
        if (isHidden) expectOk(await actOnPost(moderator, 'hide', 'question', id));
        else await ann.remove('questions', id);
        await write(`Again: ![bread](${path})`);
        expect([await statusOf(eve, path), await statusOf(bob, path)]).toEqual([404, 404]);
        expect(await statusOf(ann, path)).toBe(200);
      }
  });

  test('also in a quote of a visible post, which keeps it', async () => {
    const path = await ann.upload(createPngPicture());
    const id = await ann.ask({ content: `![bread](${path})` });
    await bob.answer(await bob.ask(), `> ![bread](${path})`);
    await ann.remove('questions', id);
    expect(await statusOf(eve, path)).toBe(200);
  });

  test('after an edit by a moderator, and after the author approved an edit that adds another one', async () => {
    const [own, added] = [await ann.upload(createPngPicture()), await bob.upload(createPngPicture())];
    const draft = { title: 'How long does bread keep?', tags: ['baking'] };
    const id = await ann.ask({ ...draft, content: `![bread](${own})` });
    const suggest = async (member: Member, content: string) =>
      expectOk(
        await member.post<{ id: number }>(`/questions/${id}/edit-suggestions`, {
          ...draft,
          content,
          summary: 'Clearer',
        }),
      ).id;
    await suggest(moderator, `Edited: ![bread](${own})`);
    const suggestion = await suggest(bob, `Suggested: ![bread](${own}) ![crumb](${added})`);
    expect([await statusOf(eve, own), await statusOf(eve, added)]).toEqual([200, 404]);
    const { editedAt } = expectOk(await ann.get<EditSuggestionTexts>(`/edit-suggestions/${suggestion}`));
    const decision = { decision: 'approve', basedOn: editedAt };
    expectOk(await ann.put(`/edit-suggestions/${suggestion}/decision`, decision));
    expect([await statusOf(eve, own), await statusOf(eve, added)]).toEqual([200, 200]);
  });

  test('and to visitors while public reading is on, for an hour at most in a shared cache', async () => {
    const [path, unused] = [await ann.upload(createPngPicture()), await ann.upload(createPngPicture())];
    const id = await ann.ask({ content: `![bread](${path})` });
    await setSiteSetting(db, 'publicReading', true);
    await eventually(async () => (await statusOf(visitor, path)) === 200);
    expect(await statusOf(visitor, unused)).toBe(404);
    const { status, headers } = await show(visitor, path);
    expect({ status, cache: headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'public, s-maxage=3600, max-age=31536000, immutable',
    });
    expectOk(await actOnPost(moderator, 'hide', 'question', id));
    expect(await statusOf(visitor, path)).toBe(404);
    await setSiteSetting(db, 'publicReading', false);
  });

  test('after posting or editing a question, an answer or a reply', async () => {
    const pictures = await Promise.all(Array.from({ length: 6 }, () => ann.upload(createPngPicture())));
    const texts = pictures.map((path) => `![bread](${path})`);
    const title = 'How long does bread keep?';
    const questionId = await ann.ask({ content: texts[0] ?? '' });
    expectOk(await ann.put(`/questions/${questionId}`, { title, content: texts[1], tags: [] }));
    const answer = await ann.answer(questionId, texts[2]);
    expectOk(await ann.put(`/answers/${answer.id}`, { content: texts[3] }));
    const reply = await ann.replyToAnswer(answer.id, { content: texts[4] ?? '' });
    expectOk(await ann.put(`/replies/${reply.id}`, { content: texts[5] }));
    expect(await Promise.all(pictures.map((path) => statusOf(bob, path)))).toEqual(pictures.map(() => 200));
    await bob.replyToAnswer(answer.id, { to: reply });
    await ann.remove('replies', reply.id);
    expect(await statusOf(bob, pictures[5] ?? '')).toBe(404);
  });
});

test('an upload that nothing shows is deleted after a day', async () => {
  const [unused, drafted, posted, fresh, removed] = await Promise.all(
    Array.from({ length: 5 }, () => eve.upload(createPngPicture())),
  );
  const fields = { title: '', content: `![bread](${drafted})`, tags: '' };
  const draft = { key: 'a-key-of-a-draft', fields, basedOn: null, clientId: 'a-browser', sequence: 1 };
  expectOk(await eve.put('/drafts/ask', draft));
  await eve.ask({ content: `![bread](${posted})` });
  await eve.remove('questions', await eve.ask({ content: `![bread](${removed})` }));
  await sql`
    update upload set uploaded_at = now() - interval '25 hours'
    where member_id = ${eve.id} and name <> ${parseUploadPath(fresh ?? '')?.name}`.execute(db);
  await cleanUpUploads(db);
  const all = [unused, drafted, posted, fresh, removed];
  expect(await Promise.all(all.map((path) => statusOf(eve, path ?? '')))).toEqual([404, 200, 200, 200, 404]);
});

describe('a member', () => {
  test('cannot upload any more pictures in an hour than the limit', async () => {
    const results = [];
    for (let count = 0; count <= serverLimits.uploadsPerHourOfNewMember; count++)
      results.push((await send(bob, Buffer.from('no picture'))).code);
    expect(results.slice(0, -1)).toEqual(results.slice(1).map(() => 'upload-not-picture'));
    expect(results.at(-1)).toBe('too-many-uploads');
  });

  test('cannot store more than the limit', async () => {
    const picture = createPngPicture();
    await ann.upload(picture);
    await sql`update upload set bytes = ${serverLimits.uploadQuotaMegabytes * 1_000_000} where member_id = ${ann.id}`.execute(
      db,
    );
    expect(await send(ann, createPngPicture())).toMatchObject({ code: 'upload-quota' });
    await ann.upload(picture);
  });

  test('who is signed out cannot upload', async () => {
    expect(await visitor.send('POST', '/uploads', { file: createPngPicture() })).toMatchObject({
      status: 401,
    });
  });
});
