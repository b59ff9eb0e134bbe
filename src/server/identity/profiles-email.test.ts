import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { programOf } from '#tests/support/api-tokens.ts';
import { createManyMembers } from '#tests/support/many-members.ts';
import { type ApiClient, expectOk, Member, password } from '#tests/support/member.ts';
import type { TestServer } from '#tests/support/server.ts';
import type { SessionState } from '#shared/identity/accounts.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { MemberSettings, Profile, EmailVisibility } from '#shared/identity/profiles.ts';
import type { ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';

const { server, provider } = await startServerWithProvider();
beforeEach(() => server.resetRateLimits());

const profileOf = async (viewer: ApiClient, { id }: { id: number }) =>
  expectOk(await viewer.get<Profile>(`/members/${id}`));
const emailOf = async (viewer: ApiClient, member: { id: number }) => (await profileOf(viewer, member)).email;

let people = 0;
/** Registers with an explicit choice, or without one. */
async function register(showEmail: boolean | undefined, on: TestServer = server): Promise<Member> {
  const browser = on.visitor();
  const form = { displayName: 'Somebody', email: `somebody${++people}@example.net`, password };
  const { member } = expectOk(await browser.post<SessionState>('/members', { ...form, showEmail }));
  if (member === null) throw new Error('no one is signed in');
  const registered = new Member(on.address, member);
  registered.cookies = browser.cookies;
  return registered;
}

/** Starts a site with another setting on the same database. */
async function siteWith<Result>(profileEmail: EmailVisibility, visit: (site: TestServer) => Promise<Result>) {
  const site = await server.startSecondNode({
    profileEmail,
    publicUrl: server.address,
    identityProvider: provider.settings,
  });
  try {
    return await visit(site);
  } finally {
    await site.stop();
  }
}

describe('the email address on a profile', () => {
  test.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('is shown to other members as chosen when registering (%s)', async (chosen, shown) => {
    const [viewer, member] = [await server.register('Viewer'), await register(chosen)];
    expect(await emailOf(viewer, member)).toBe(shown ? member.email : null);
    expect(await emailOf(member, member)).toBe(member.email);
    expect(expectOk(await member.get<MemberSettings>('/settings')).showEmail).toBe(shown);
  });

  test("is not shown to the member's own program, unless other members see it", async () => {
    for (const shown of [true, false]) {
      const member = await register(shown);
      const program = await programOf(member, ['read']);
      expect(await emailOf(program, member)).toBe(shown ? member.email : null);
    }
  });

  test('is shown or hidden later in the settings', async () => {
    const [viewer, member] = [await server.register('Viewer'), await register(true)];
    const settings = expectOk(await member.get<MemberSettings>('/settings'));
    expectOk(await member.put('/settings', { ...settings, showEmail: false }));
    expect(await emailOf(viewer, member)).toBeNull();
    expectOk(await member.put('/settings', { ...settings, showEmail: true }));
    expect(await emailOf(viewer, member)).toBe(member.email);
  });

  test('is hidden if the member made no choice and the site hides it, also for accounts of the identity provider', async () => {
    await siteWith('hidden', async (site) => {
      const viewer = (await server.register('Viewer')).onServer(site.address);
      expect(await emailOf(viewer, await register(undefined, site))).toBeNull();
      const chosen = await register(true, site);
      expect(await emailOf(viewer, chosen)).toBe(chosen.email);
      const browser = site.visitor();
      const { url } = expectOk(
        await browser.post<{ url: string }>('/session/provider', { provider: 'oidc' }),
      );
      const who = { subject: 'hidden', email: 'hidden@example.net', email_verified: true, name: 'Pat' };
      const query = await provider.visit(url, who);
      const { member } = expectOk(
        await browser.post<ProviderSignInResult>('/session/provider/callback', { query }),
      );
      expect(await emailOf(viewer, { id: member?.id ?? 0 })).toBeNull();
    });
  });

  test('is shown only to its member if the site never shows any', async () => {
    await siteWith('never', async (site) => {
      const [viewer, member] = [
        (await server.register('Viewer')).onServer(site.address),
        await register(true, site),
      ];
      expect(await profileOf(viewer, member)).toMatchObject({ email: null, emailWithheld: null });
      expect(await emailOf(member, member)).toBe(member.email);
      expect(expectOk(await site.visitor().get('/sign-in'))).toMatchObject({ emailVisibility: 'never' });
    });
  });

  test('is not shown to signed-out visitors', async () => {
    const member = await register(true);
    expect(await server.visitor().get(`/members/${member.id}`)).toMatchObject({ status: 401 });
  });
});

describe('email addresses of other members', () => {
  test('are shown to one member up to sixty times an hour, then the profile omits the address and gives the reason', async () => {
    const [viewer, other] = [await server.register('Viewer'), await server.register('Other')];
    const members = await createManyMembers(server, serverLimits.emailViewsPerHour + 1);
    const last = members.pop();
    if (last === undefined) throw new Error('no members registered');
    const hiding = await register(false);
    for (const member of members) {
      expect(await emailOf(viewer, member)).toBe(member.email);
      // Repeated views, the member's own address and hidden addresses do not count.
      if (member === members[0]) {
        await emailOf(viewer, member);
        await emailOf(viewer, viewer);
        await emailOf(viewer, hiding);
      }
    }
    expect(await profileOf(viewer, last)).toMatchObject({
      email: null,
      emailWithheld: 'too-many',
      displayName: 'One of many',
    });
    expect(await profileOf(viewer, members[0] ?? last)).toMatchObject({
      email: members[0]?.email,
      emailWithheld: null,
    });
    expect(await emailOf(viewer, viewer)).toBe(viewer.email);
    expect(await profileOf(viewer, hiding)).toMatchObject({ email: null, emailWithheld: null });
    expect(await emailOf(other, last)).toBe(last.email);
  });

  test('appear in no list, search, feed, thread, notification or live event', async () => {
    const [viewer, member] = [await server.register('Viewer'), await register(true)];
    const id = await viewer.ask({ title: 'Where is the address?', tags: ['address'] });
    const answer = await member.answer(id);
    await member.replyToAnswer(answer.id, { content: 'Not here.' });
    await member.vote('questions', id, 'up');
    expectOk(await viewer.put('/tags/address/follow', { following: true }));
    await member.ask({ title: 'Nor here?', tags: ['address'] });
    for (const path of [
      `/questions/${id}`,
      `/questions/${id}/answers`,
      `/questions/${id}/members`,
      '/feeds/recent',
      '/following/questions',
      '/following/tags',
      '/tags/address/questions',
      '/notifications',
      `/members?q=${member.email}`,
      '/members?q=Some',
      `/search?q=${member.email}`,
      `/search?q=${member.email}&type=users`,
      '/search?q=Somebody&type=users',
      `/search/instant?q=${member.email}`,
      `/members/${member.id}/questions`,
      `/members/${member.id}/answers`,
    ]) {
      const response = await viewer.get(path);
      const body = JSON.stringify(response.body).replaceAll(`"query":"${member.email}"`, '');
      expect({ path, leaks: body.includes('example.net') }).toEqual({ path, leaks: false });
    }
    const events = await sql`select * from event`.execute(server.db);
    expect(JSON.stringify(events.rows)).not.toContain(member.email);
  });
});
