import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { MemberSettings, Profile } from '#shared/identity/profiles.ts';
import type { MemberList } from '#shared/moderation/member-list.ts';
import { expectOk } from '#tests/support/member.ts';
import { startModeration } from '#tests/support/moderation.ts';

const { server, ann, bob, moderator } = await startModeration();

const settings = { displayName: 'Ann Own', bio: null, showEmail: false };
const change = (more: object) => ann.put<MemberSettings>('/settings', { ...settings, ...more });
const profileOfAnn = async () => expectOk(await bob.get<Profile>(`/members/${ann.id}`));

test('a profile shows the location and the website that the member gave', async () => {
  expectOk(await change({ location: '  São  Paulo ', website: 'example.org/ann?a=1&b=ü' }));
  expect(await profileOfAnn()).toMatchObject({
    location: 'São Paulo',
    website: 'https://example.org/ann?a=1&b=%C3%BC',
  });
  // Programs that do not know these fields change nothing.
  expect(expectOk(await change({}))).toMatchObject({ location: 'São Paulo' });
  expect(expectOk(await change({ location: null, website: '' }))).toMatchObject({
    location: null,
    website: null,
  });
  expect(await profileOfAnn()).toMatchObject({ location: null, website: null });
});

test.each([
  ['location', 'a'.repeat(101), 'location-too-long'],
  ['location', 'Ber\u202Elin', 'characters-not-allowed'],
  ['location', 'Ber\u200Blin', 'characters-not-allowed'],
  ['website', 'javascript:alert(1)', 'website-not-valid'],
  ['website', 'data:text/html,x', 'website-not-valid'],
  ['website', 'ftp://example.org/', 'website-not-valid'],
  ['website', 'https://me:secret@example.org/', 'website-not-valid'],
  ['website', 'localhost', 'website-not-valid'],
  ['website', 'not a website', 'website-not-valid'],
  ['website', `https://example.org/${'a'.repeat(200)}`, 'website-not-valid'],
])('refuses %s %j', async (field, value, code) => {
  const { status, body } = await change({ [field]: value });
  expect(status).toBe(400);
  expect(body).toMatchObject({ errors: [{ field, code }] });
});

test('the address of a website has no hidden characters', async () => {
  const saved = expectOk(await change({ website: 'https://exa\u200Bmple.org/\u202Efdp.exe' }));
  expect(saved.website).toBe('https://example.org/%E2%80%AEfdp.exe');
  expectOk(await change({ website: 'https://пример.рф/' }));
  expect((await profileOfAnn()).website).toBe('https://xn--e1afmkfd.xn--p1ai/');
});

test('moderators list new accounts with a website, which goes with removed activity', async () => {
  const spammer = await server.register('Casino Fan');
  expectOk(
    await spammer.put('/settings', {
      ...settings,
      displayName: 'Casino Fan',
      website: 'https://casino.example/',
    }),
  );
  const list = expectOk(await moderator.get<MemberList>('/moderation/members?show=profile_links'));
  expect(list.items).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ id: spammer.id, website: 'https://casino.example/' })]),
  );
  await sql`insert into activity_removal (member_id, state, reason, finished_at)
    values (${spammer.id}, 'removed', 'Spam', now())`.execute(server.db);
  expect(expectOk(await bob.get<Profile>(`/members/${spammer.id}`))).toMatchObject({
    website: null,
    location: null,
  });
});
