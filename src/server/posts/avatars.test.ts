import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { avatarSizes, getAvatarPath } from '#shared/core/avatars.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { actOnMember, startModeration } from '#tests/support/moderation.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { eventually } from '#tests/support/parley.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { cleanUpUploads } from './uploads.ts';

const { server, ann, bob, eve, moderator } = await startModeration();
const { db } = server;
const visitor = server.visitor();

const send = (member: Member, file: Uint8Array) =>
  member.send<{ avatar: string }>('PUT', '/settings/avatar', { file });
const setAvatar = async (member: Member, file: Uint8Array = createPngPicture()) =>
  expectOk(await send(member, file)).avatar;

async function show({ cookies }: { cookies: Map<string, string> }, path: string) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(server.address + path, { headers: { cookie } });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}
const statusOf = async (viewer: Parameters<typeof show>[0], avatar: string) =>
  (await show(viewer, getAvatarPath(avatar, 64))).status;

const countAvatars = async () => {
  const count = sql<{ count: number }>`select count(*)::int as count from upload where kind = 'avatar'`;
  return (await count.execute(db)).rows[0]?.count;
};

test('an avatar is the upright central square, in two sizes, without transparent parts', async () => {
  // 90 × 30 pixels: red, transparent and blue from left to right; a camera stores them turned by a quarter.
  const part = (background: string) => ({
    create: { width: 30, height: 30, channels: 4 as const, background },
  });
  const upright = await sharp({ create: { ...part('#0000').create, width: 90 } })
    .composite([
      { input: part('#f00'), left: 0, top: 0 },
      { input: part('#00f'), left: 60, top: 0 },
    ])
    .png()
    .toBuffer();
  const turned = await sharp(upright).rotate(270).withMetadata({ orientation: 6 }).png().toBuffer();
  const avatar = await setAvatar(eve, turned);
  for (const { width } of avatarSizes) {
    const { status, bytes } = await show(bob, getAvatarPath(avatar, width === 64 ? 64 : 256));
    const { format, channels, ...size } = await sharp(bytes).metadata();
    expect({ status, format, channels, width: size.width, height: size.height }).toEqual({
      status: 200,
      format: 'webp',
      channels: 3,
      width,
      height: width,
    });
    const { dominant } = await sharp(bytes).stats();
    expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240);
  }
});

test('is shown wherever the name is', async () => {
  const question = await ann.ask({ title: 'Which avatar?', tags: ['avatars'] });
  const document = async () =>
    expectOk(await eve.get<{ question: object; answers: object; replies: object }>(`/questions/${question}`));
  expect(JSON.stringify(await document())).not.toContain('"authorAvatar":"');
  const avatar = await setAvatar(bob);
  const answer = await bob.answer(question);
  expect(answer).toMatchObject({ authorAvatar: avatar });
  await bob.replyToAnswer(answer.id);
  await bob.post(`/questions/${question}/replies`, { content: 'Which?' });
  expectOk(await ann.put(`/answers/${answer.id}/bookmark`, { bookmarked: true }));
  const anns = await setAvatar(ann);
  const authored = (of: object) => JSON.stringify(of).split(`"authorAvatar":"${avatar}"`).length - 1;
  await eventually(async () => authored(await document()) === 3);
  expect((await document()).question).toMatchObject({ authorAvatar: anns });
  const paths = {
    '/feeds/recent': { items: expect.arrayContaining([expect.objectContaining({ authorAvatar: anns })]) },
    '/search?q=Which+avatar': { questions: [expect.objectContaining({ authorAvatar: anns })] },
    '/search?q=Bob&in=users': { users: [expect.objectContaining({ avatar })] },
    [`/members/${bob.id}`]: { avatar },
    [`/members/${bob.id}/answers`]: { items: [expect.objectContaining({ authorAvatar: avatar })] },
    '/session': { member: { avatar: anns } },
    '/bookmarks': { items: [expect.objectContaining({ authorAvatar: avatar })] },
    '/notifications': { items: expect.arrayContaining([expect.objectContaining({ senderAvatar: avatar })]) },
  };
  for (const [path, expected] of Object.entries(paths))
    expect({ path, ...expectOk(await ann.get<object>(path)) }).toMatchObject({ path, ...expected });
});

test('is visible to members, and to visitors while public reading is on', async () => {
  const avatar = await setAvatar(eve);
  expect([await statusOf(bob, avatar), await statusOf(visitor, avatar)]).toEqual([200, 404]);
  await setSiteSetting(db, 'publicReading', true);
  await eventually(async () => (await statusOf(visitor, avatar)) === 200);
  await setSiteSetting(db, 'publicReading', false);
});

test('replaces the one before, which is deleted, and stays while it is not removed', async () => {
  const picture = createPngPicture();
  const first = await setAvatar(eve, picture);
  expect(await setAvatar(eve, picture)).toBe(first);
  const before = await countAvatars();
  const two = await Promise.all([setAvatar(eve), setAvatar(eve)]);
  expect(await countAvatars()).toBe(before);
  expect(await statusOf(bob, first)).toBe(404);
  const { avatar } = expectOk(await eve.get<{ avatar: string }>(`/members/${eve.id}`));
  expect(two).toContain(avatar);
  await sql`update upload set uploaded_at = now() - interval '2 days'`.execute(db);
  await cleanUpUploads(db);
  expect(await statusOf(bob, avatar)).toBe(200);
  for (const _ of ['removes it', 'changes nothing'])
    expect(await eve.delete('/settings/avatar')).toMatchObject({ status: 204 });
  expect(await statusOf(bob, avatar)).toBe(404);
  expect(expectOk(await eve.get(`/members/${eve.id}`))).toMatchObject({ avatar: null });
});

test('is removed by a moderator, who gives a public reason', async () => {
  const mel = await server.register('Mel');
  const avatar = await setAvatar(mel);
  expect(await actOnMember(bob, 'remove_avatar', mel.id)).toMatchObject({ status: 404 });
  expect(await actOnMember(moderator, 'remove_avatar', mel.id, { reason: ' ' })).toMatchObject({
    status: 400,
  });
  expect(expectOk(await moderator.get(`/moderation/members/${mel.id}`))).toMatchObject({ avatar });
  expect(
    await actOnMember(moderator, 'remove_avatar', mel.id, { reason: 'An advertisement.' }),
  ).toMatchObject({
    status: 204,
  });
  expect(await statusOf(mel, avatar)).toBe(404);
  expect(await actOnMember(moderator, 'remove_avatar', mel.id)).toMatchObject({
    status: 409,
    code: 'no-avatar',
  });
  const log = expectOk(await bob.get<ModerationLog>('/moderation/log'));
  expect(log.items[0]).toMatchObject({
    action: 'remove_avatar',
    reason: 'An advertisement.',
    memberId: null,
  });
});

test('is deleted with the account', async () => {
  const leo = await server.register('Leo');
  const avatar = await setAvatar(leo);
  expectOk(await leo.post('/account-deletion', { password, posts: 'keep' }));
  expect(await statusOf(bob, avatar)).toBe(404);
  expect(expectOk(await bob.get(`/members/${leo.id}`))).toMatchObject({ avatar: null });
});

test('counts towards the uploads of an hour, and bad files and visitors are refused', async () => {
  expect(await visitor.send('PUT', '/settings/avatar', { file: createPngPicture() })).toMatchObject({
    status: 401,
  });
  const ned = await server.register('Ned');
  const codes = [];
  for (let count = 0; count <= serverLimits.uploadsPerHourOfNewMember; count++)
    codes.push(
      (await send(ned, count === 0 ? Buffer.alloc(limits.uploadBytes + 1) : Buffer.from('<svg>'))).code,
    );
  expect([codes[0], ...new Set(codes.slice(1))]).toEqual([
    'upload-too-large',
    'upload-not-picture',
    'too-many-uploads',
  ]);
});
