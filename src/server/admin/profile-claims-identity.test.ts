import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { exportCommunity } from '#server/import-export/export.ts';
import { undoImport } from '#server/import-export/import-undo.ts';
import { importJsonLines } from '#server/import-export/jsonl-import.ts';
import type { ClaimIdentityProof, ProfileClaim } from '#shared/admin/profile-claims.ts';
import type { ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { runAccountMerges } from './account-merge.ts';

const { server, provider } = await startServerWithProvider();
const { issuer } = provider.settings;
// Posts that are here keep the import from being a move, whose members have no profile to claim.
const carl = await server.register('Carl');
await carl.ask();

let sites = 0;
type Identity = { issuer: string; subject: string };

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function newDirectory(): Promise<string> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-identities-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, 'files');
}

/** Imports a site with a member for each list of identities, and a question of the first. */
async function importMembers(
  identities: readonly (readonly Identity[])[],
  { site = `https://forum${++sites}.example.org`, firstId = 1, email = '' } = {},
): Promise<{ ids: number[]; runId: number }> {
  const directory = await newDirectory();
  await mkdir(directory);
  const members = identities.map((list, index) => ({
    id: firstId + index,
    name: `Old ${firstId + index}`,
    identities: list,
    ...(email !== '' && { email }),
  }));
  const questions = [{ id: firstId, title: 'How?', content: 'So?', authorId: firstId }];
  for (const [file, rows] of Object.entries({ members, questions }))
    await writeFile(
      path.join(directory, `${file}.jsonl`),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
  await importJsonLines({ directory, client: await connect(), site, license: 'CC BY 4.0' });
  const { rows } = await sql<{ id: number; run_id: number }>`
    select id, run_id from imported_row where kind = 'member' order by run_id desc, id limit ${members.length}`.execute(
    server.db,
  );
  return { ids: rows.map(({ id }) => id), runId: rows[0]?.run_id ?? 0 };
}

async function importOne(identity: Identity): Promise<number> {
  const { ids } = await importMembers([[identity]]);
  return ids[0] ?? 0;
}

/** Registers a member who has linked the account with this subject at the provider. */
async function registerLinked(subject: string): Promise<Member> {
  const member = await server.register('Ada');
  const person = { subject, email: `${subject}@example.net`, email_verified: true, name: 'Ada' };
  const { url } = expectOk(await member.post<{ url: string }>('/provider-accounts/oidc', { password }));
  const query = await provider.visit(url, person);
  const { linked } = expectOk(
    await member.post<ProviderSignInResult>('/session/provider/callback', { query }),
  );
  expect(linked).toBe(true);
  return member;
}

const readProvider = async (member: Member, profileId: number) =>
  expectOk(await member.get<ProfileClaim>(`/members/${profileId}/claim`)).identityProvider;
const claim = async (member: Member, profileId: number) =>
  expectOk(await member.post<ClaimIdentityProof>(`/members/${profileId}/claim/identity`, {})).outcome;
const countIdentities = async (profileId: number) =>
  (await sql`select from imported_identity where member_id = ${profileId}`.execute(server.db)).rows.length;
const countMerges = async (profileId: number) =>
  (await sql`select from account_merge where member_id = ${profileId}`.execute(server.db)).rows.length;

test('a member claims the profile whose account at the provider they have linked, without another proof', async () => {
  const ada = await registerLinked('ada');
  const profileId = await importOne({ issuer, subject: 'ada' });
  expect(await readProvider(ada, profileId)).toBe('Example');
  expect(await claim(ada, profileId)).toBe('claimed');
  await runAccountMerges(
    { db: server.db, settings: { allowsSelfVotes: true } },
    { until: Date.now() + 60_000, waitSeconds: 0 },
  );
  const { rows } = await sql`select author_id from question where author_id = ${ada.id}`.execute(server.db);
  expect(rows).toHaveLength(1);
  expect(await countIdentities(profileId)).toBe(0);
  const log = await sql<{ reason: string; moderator_id: number | null }>`
    select reason, moderator_id from moderation_log where member_id = ${ada.id}`.execute(server.db);
  expect(log.rows).toEqual([
    { reason: expect.stringContaining('Claimed with the account at Example'), moderator_id: null },
  ]);
  expect((await ada.post(`/members/${profileId}/claim/identity`, {})).code).toBe('claim-not-possible');
});

test.each<[string, (subject: string) => Identity]>([
  ['the same subject at another provider', (subject) => ({ issuer: 'https://other.example.org', subject })],
  [
    'the same subject at an address like that of the provider',
    (subject) => ({ issuer: `${issuer}/`, subject }),
  ],
  ['another subject', (subject) => ({ issuer, subject: `${subject}2` })],
  ['the subject in other case', (subject) => ({ issuer, subject: subject.toUpperCase() })],
  ['a subject that the issuer only ends with', (subject) => ({ issuer: `${issuer}/x`, subject })],
])('a profile with %s cannot be claimed', async (name, identityFor) => {
  const subject = `eve${name.length}`;
  const eve = await registerLinked(subject);
  const profileId = await importOne(identityFor(subject));
  expect(await readProvider(eve, profileId)).toBeNull();
  expect(await claim(eve, profileId)).toBe('identity-missing');
  expect([await countMerges(profileId), await countIdentities(profileId)]).toEqual([0, 1]);
});

test('only the member who has linked the account learns of it, and can claim', async () => {
  const owner = await registerLinked('owner');
  const other = await registerLinked('another');
  const profileId = await importOne({ issuer, subject: 'owner' });
  for (const member of [other, carl]) {
    expect(await readProvider(member, profileId)).toBeNull();
    expect(await claim(member, profileId)).toBe('identity-missing');
  }
  for (const address of [`/members/${profileId}`, `/members/${profileId}/claim`, `/questions`])
    expect(JSON.stringify((await carl.get(address)).body ?? '')).not.toContain(issuer);
  expect(await claim(owner, profileId)).toBe('claimed');
});

test('an unlinked account no longer proves a claim', async () => {
  const member = await registerLinked('unlinker');
  const profileId = await importOne({ issuer, subject: 'unlinker' });
  expect(await readProvider(member, profileId)).toBe('Example');
  expectOk(await member.post('/provider-accounts/oidc/removal', { password }));
  expect(await readProvider(member, profileId)).toBeNull();
  expect(await claim(member, profileId)).toBe('identity-missing');
});

test('an account at a provider that is no longer set up does not prove a claim', async () => {
  const member = await server.register('Late');
  await sql`insert into account (member_id, provider_id, account_id)
    values (${member.id}, 'oidc https://gone.example.org', 'late')`.execute(server.db);
  const profileId = await importOne({ issuer: 'https://gone.example.org', subject: 'late' });
  expect(await claim(member, profileId)).toBe('identity-missing');
});

test('an account that two profiles of one site had proves none of them', async () => {
  const member = await registerLinked('twin');
  const site = 'https://twins.example.org';
  const identity = { issuer, subject: 'twin' };
  await expect(importMembers([[identity], [identity]], { site })).rejects.toThrow(
    /members\.jsonl.*line 2.*"twin" is listed twice/u,
  );
  const { ids: first } = await importMembers([[identity]], { site });
  const { ids: second } = await importMembers([[identity]], { site, firstId: 2 });
  for (const profileId of [...first, ...second])
    expect(await claim(member, profileId)).toBe('identity-missing');
  // A profile on another site is another one of the same person.
  expect(await claim(member, await importOne(identity))).toBe('claimed');
});

test('two requests at the same time claim a profile once', async () => {
  const member = await registerLinked('twice');
  const profileId = await importOne({ issuer, subject: 'twice' });
  const responses = await Promise.all(
    [1, 2].map(() => member.post<ClaimIdentityProof>(`/members/${profileId}/claim/identity`, {})),
  );
  expect(responses.filter(({ body }) => body.outcome === 'claimed')).toHaveLength(1);
  expect(await countMerges(profileId)).toBe(1);
});

test('identities of members with an address are not stored, and all are deleted with their import', async () => {
  const { ids: withAddress } = await importMembers([[{ issuer, subject: 'known' }]], {
    email: 'known@example.org',
  });
  expect(await countIdentities(withAddress[0] ?? 0)).toBe(0);
  const { ids, runId } = await importMembers([[{ issuer, subject: 'undone' }]]);
  expect(await countIdentities(ids[0] ?? 0)).toBe(1);
  // The profile stays, because a member has begun to claim it.
  expectOk(await carl.put(`/members/${ids[0]}/claim`));
  await undoImport(await connect(), runId);
  expect(await countIdentities(ids[0] ?? 0)).toBe(0);
});

test('an export has identities with private data only', async () => {
  const profileId = await importOne({ issuer, subject: 'exported' });
  const exported = async (withPrivateData: boolean) => {
    const directory = await newDirectory();
    await exportCommunity({
      directory,
      client: await connect(),
      format: 'jsonl',
      withPrivateData,
      license: 'CC BY 4.0',
      origin: 'https://ask.example.org',
    });
    const lines = (await readFile(path.join(directory, 'members.jsonl'), 'utf8')).trim().split('\n');
    const row = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ id }) => id === profileId);
    return row?.['identities'];
  };
  expect(await exported(false)).toBeUndefined();
  expect(await exported(true)).toEqual([{ issuer, subject: 'exported' }]);
});

test('the imported profile of a program cannot be claimed', async () => {
  const member = await registerLinked('robot');
  const profileId = await importOne({ issuer, subject: 'robot' });
  await sql`update member set is_bot = true where id = ${profileId}`.execute(server.db);
  expect((await member.get(`/members/${profileId}/claim`)).status).toBe(404);
  expect((await member.post(`/members/${profileId}/claim/identity`, {})).code).toBe('claim-not-possible');
});
