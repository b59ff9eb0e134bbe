import { describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { apiTokenScopes } from '#server/integrations/api-token-scopes.ts';
import { type ApiScope, apiScope } from '#shared/integrations/api-tokens.ts';
import { type Program, programOf } from '#tests/support/api-tokens.ts';
import { databaseChecksum } from '#tests/support/database-checksum.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { type Document, listOperations, type Operation } from '#tests/support/openapi.ts';
import { permissions } from '#tests/support/permissions.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { unreachableEmailServer, startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { createValidRequests } from '#tests/support/valid-requests.ts';

const { server } = await startServerWithProvider({ email: unreachableEmailServer, runsScheduledJobs: false });
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const author = await server.register('Author');
const moderator = await server.register('Maud');
await setRole(server.db, { email: moderator.email, role: 'moderator' });
await setSiteSetting(server.db, 'rulesPage', 'Be kind.');
const createValidRequest = createValidRequests({ ann, bob, db: server.db });
const document = expectOk(await server.visitor().get<Document & Secured>('/openapi.json'));
const operations = listOperations(document);

type Secured = { paths: Record<string, Record<string, { security: Record<string, string[]>[] }>> };

/** Operations for visitors and members alike ignore tokens. */
const signedIn = operations.filter(({ name }) => permissions[name]?.['signed out'] === 'signed-out');
const all = apiScope.options;

/** For each scope a program with that scope only and one with all others, and one with all. */
const authors = await programsOf(author);
const moderators = await programsOf(moderator);
// A token reads only drafts that it saved itself.
const ownDraft = { key: 'key-of-own-draft', clientId: 'own-program', basedOn: null, sequence: 1 };
expectOk(await authors.only.drafts.put('/drafts/ask', { ...ownDraft, fields: { content: 'So far' } }));
const scopeOf = ({ name }: Operation) => apiTokenScopes.get(name);

async function programsOf(member: Member) {
  const byScope = async (scopesOf: (scope: ApiScope) => readonly ApiScope[]) =>
    Object.fromEntries(
      await Promise.all(all.map(async (scope) => [scope, await programOf(member, scopesOf(scope))] as const)),
    ) as Record<ApiScope, Program>;
  return {
    only: await byScope((scope) => [scope]),
    without: await byScope((scope) => all.filter((each) => each !== scope)),
    all: await programOf(member, all),
  };
}

test('every scope belongs to endpoints that exist', () => {
  const names = new Set(signedIn.map(({ name }) => name));
  expect([...apiTokenScopes.keys()].filter((name) => !names.has(name))).toEqual([]);
  expect(new Set(apiTokenScopes.values())).toEqual(new Set(all));
});

test('the OpenAPI document states the scope of every endpoint', () => {
  for (const { name, method, path, isOpen } of operations) {
    const scope = apiTokenScopes.get(name);
    const { security } = document.paths[path]?.[method.toLowerCase()] ?? { security: [] };
    const byToken = security.filter((each) => 'apiToken' in each);
    const bySession = security.some((each) => 'session' in each);
    expect({
      name,
      byToken,
      isAuthenticated: isOpen || bySession || name === 'POST /received-emails',
    }).toEqual({
      name,
      byToken: scope === undefined ? [] : [{ apiToken: [scope] }],
      isAuthenticated: true,
    });
  }
});

describe('a token', () => {
  test.each(signedIn.map((operation) => [operation.name, operation] as const))(
    'is accepted by %s with its scope only',
    async (name, operation) => {
      await server.resetRateLimits();
      const scope = scopeOf(operation);
      const isModerators = scope === 'moderation';
      const programs = isModerators ? moderators : authors;
      const sender = isModerators ? moderator : author;
      // Members cannot report their own posts or suggest edits to them; `valid-requests` chooses another member's.
      const request = await createValidRequest(operation, sender, sender);
      const others = scope === undefined ? programs.all : programs.without[scope];
      const own = scope === undefined ? undefined : programs.only[scope];
      const before = await databaseChecksum(server.db);
      const refused = await others.send(operation.method, request.path, request);
      expect({ status: refused.status, code: refused.code }).toEqual({
        status: 403,
        code: scope === undefined ? 'api-token-not-accepted' : 'api-token-scope-missing',
      });
      expect(await databaseChecksum(server.db)).toBe(before);
      if (own === undefined) return;
      const wanted = permissions[name]?.[isModerators ? 'moderator' : 'author or owner'] ?? '';
      const accepted = await own.send(operation.method, request.path, request);
      const outcome = accepted.status < 400 ? 'yes' : accepted.kind;
      const isAboutOthers = operation.path.endsWith('/edit-suggestions');
      expect(outcome).toBe(['yes', 'own'].includes(wanted) || isAboutOthers ? 'yes' : wanted);
    },
  );
});
