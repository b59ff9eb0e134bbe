import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { setRole } from '#server/admin/roles.ts';
import { runActivityRemovals } from '#server/moderation/activity-removal.ts';
import { unreachableEmailServer, startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { databaseChecksum, memberChecksum } from '#tests/support/database-checksum.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { LiveClient, startLiveNode } from '#tests/support/live-node.ts';
import { ApiClient, expectOk, type Member, register } from '#tests/support/member.ts';
import { type Document, type Operation, listOperations } from '#tests/support/openapi.ts';
import { eventually } from '#tests/support/parley.ts';
import {
  type CallerKind,
  callerKinds,
  renderPermissionsDocument,
  permissions,
  type PermissionRule,
  publicReads,
  publicWrites,
  topicRules,
  privateWrites,
} from '#tests/support/permissions.ts';
import { type ValidRequest, createValidRequests } from '#tests/support/valid-requests.ts';
import { disableTwoFactor } from '#tests/support/two-factor.ts';

const { server } = await startServerWithProvider({ email: unreachableEmailServer, runsScheduledJobs: false });
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const other = await server.register('Other');
const author = await server.register('Author');
const suspended = await server.register('Suspended');
const waiting = await server.register('Waiting');
const moderator = await server.register('Maud');
const admin = await server.register('Adele');
/** Numbers moderators and admins, since two with the same name are rejected. */
let moderators = 0;
await setRole(server.db, { email: moderator.email, role: 'moderator' });
await setRole(server.db, { email: admin.email, role: 'admin' });
await setSiteSetting(server.db, 'rulesPage', 'Be kind.');
const createValidRequest = createValidRequests({ ann, bob, db: server.db });
const operations = listOperations(expectOk(await server.visitor().get<Document>('/openapi.json')));

test('every endpoint has a row, and every row an endpoint', () => {
  const names = operations.map(({ name }) => name);
  expect(Object.keys(permissions).toSorted()).toEqual(names.toSorted());
});

test('docs/permissions.md is up to date', async () => {
  await expect(renderPermissionsDocument(operations)).toMatchFileSnapshot('../../docs/permissions.md');
});

describe('endpoints respond to each caller as docs/permissions.md says, and refused or read-only requests change nothing', () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const wanted = permissions[name];
      const changesNothing = (column: CallerKind) =>
        operation.method === 'GET' || !['yes', 'own'].includes(wanted?.[column] ?? '');
      const isHarmless = ({ column }: Call) => changesNothing(column);
      const ofAuthor = await callOf(operation, 'author or owner');
      const calls = [ofAuthor];
      for (const column of callerKinds.filter((each) => each !== ofAuthor.column)) {
        const shared = isUnrelated(column) && changesNothing(column) && !needsNewMembers(operation);
        calls.push(await callOf(operation, column, shared ? ofAuthor.validRequest : undefined));
      }
      const results: Partial<Record<CallerKind, string>> = {};
      const before = await databaseChecksum(server.db);
      for (const call of calls.filter(isHarmless)) results[call.column] = await outcome(call, wanted);
      expect(results).toEqual(pick(wanted, calls.filter(isHarmless)));
      expect(await databaseChecksum(server.db)).toBe(before);
      for (const call of calls.filter((each) => !isHarmless(each)))
        results[call.column] = await outcome(call, wanted);
      expect(results).toEqual(wanted);
      // Finishes background removals, so that they change nothing during the next endpoint.
      await runActivityRemovals(server.db, Date.now() + 60_000);
      await eventually(hasNoJobs);
    },
  );
});

/** Whether no deletion of an account and no other moderation work is queued or running. Emails are retried for long. */
async function hasNoJobs(): Promise<boolean> {
  const { rows } = await sql`select from parley_jobs.job
    where name in ('account-deletion', 'account-merge', 'moderation') and state in ('created', 'active')`.execute(
    server.db,
  );
  return rows.length === 0;
}

test('visitors read what docs/permissions.md says while public reading is on, and nothing else', async () => {
  await setSiteSetting(server.db, 'publicReading', true);
  const session = async () => (await server.visitor().get<{ publicReading: boolean }>('/session')).body;
  await eventually(async () => (await session()).publicReading);
  const { results, expected } = await readPublicly();
  expect(results).toEqual(expected);
  await setSiteSetting(server.db, 'publicReading', false);
  await eventually(async () => !(await session()).publicReading);
});

/** Tries every endpoint that refuses visitors or accounts that wait without public reading. */
async function readPublicly() {
  const results: Record<string, string> = {};
  const expected: Record<string, string> = {};
  await setState('waiting account', waiting, true);
  for (const [index, operation] of operations.entries()) {
    const { name } = operation;
    const refused = Object.entries(refusals).filter(
      ([column, refusal]) => permissions[name]?.[column as CallerKind] === refusal,
    );
    if (index % 20 === 0) await server.resetRateLimits();
    // About data of a member, also for the account that waits.
    const visit = refused.length > 0 && (await callOf(operation, 'signed out'));
    if (visit === false) continue;
    for (const [column, refusal] of refused) {
      const call =
        column === 'signed out' ? visit : ({ ...visit, column: 'waiting account', caller: waiting } as const);
      results[`${name} ${column}`] = await outcome(call, permissions[name]);
      expected[`${name} ${column}`] = publicReads.has(name) ? 'yes' : refusal;
      expect(`${name} ${operation.isOpen}`).toBe(`${name} ${publicReads.has(name)}`);
    }
  }
  return { results, expected };
}

const refusals = { 'signed out': 'signed-out', 'waiting account': 'not-approved' } as const;

/** A request by one kind of caller. */
type Call = {
  column: CallerKind;
  operation: Operation;
  caller: ApiClient;
  owner: Member;
  validRequest: ValidRequest;
};

/**
 * @param shared the request of another call, about data of the same owner; by default a new one. To create one takes
 * longer than to send it.
 */
async function callOf(operation: Operation, column: CallerKind, shared?: ValidRequest): Promise<Call> {
  const [sender, owner] = await callersOf(operation, column);
  // Members cannot report their own posts or suggest edits: the own post of this example belongs to another member.
  const about = /\/(?:report|edit-suggestions|decision)$/u.test(operation.path) ? other : sender;
  await setState(column, owner, false);
  const validRequest =
    shared ?? (await createValidRequest(operation, sender === owner ? about : sender, owner));
  await setState(column, owner, true);
  return {
    column,
    operation,
    caller: column === 'signed out' ? signedOut(sender) : sender,
    owner,
    validRequest,
  };
}

/** The same browser without its session cookie. Cookies of a sign-in in progress stay. */
function signedOut(sender: Member): ApiClient {
  const visitor = server.visitor();
  for (const [name, value] of sender.cookies)
    if (!name.endsWith('session_token')) visitor.cookies.set(name, value);
  return visitor;
}

/**
 * Suspends the caller or lets the account wait, if the column says so, or makes it a member so that it can create what
 * the request needs.
 */
async function setState(column: CallerKind, { id }: Member, isOn: boolean): Promise<void> {
  if (column === 'waiting account')
    await sql`update member set application = ${isOn ? 'waiting' : null} where id = ${id}`.execute(server.db);
  if (column === 'the same, suspended')
    await sql`
      update member set suspension_reason = ${isOn ? 'Advertising.' : null},
        suspended_until = ${isOn ? sql`now() + interval '1 day'` : null}
      where id = ${id}`.execute(server.db);
}

function pick(rule: Partial<Record<CallerKind, string>> | undefined, calls: readonly Call[]) {
  return Object.fromEntries(calls.map(({ column }) => [column, rule?.[column]]));
}

/** Returns the outcome of a call, or a description of what is wrong with an expected outcome. */
async function outcome(
  { column, operation, caller, owner, validRequest }: Call,
  wanted: PermissionRule | undefined,
) {
  const { method, path } = operation;
  const isOwn = wanted?.[column] === 'own';
  const isOthers = isOwn && method !== 'GET' && ['another member', 'moderator', 'admin'].includes(column);
  const before = isOthers && (await memberChecksum(server.db, owner.id));
  const response = await caller.send(method, validRequest.path, validRequest);
  if (isOthers && (await memberChecksum(server.db, owner.id)) !== before)
    return `${response.status}, and it changed data of the owner`;
  if (response.status === 404) {
    const { body } = await caller.send(
      method,
      path.replace('{id}', '999999999').replace(/\{(?:deliveryId|tokenId)\}/u, '1'),
      validRequest,
    );
    if (withoutId(body) !== withoutId(response.body)) return 'not-found, but unlike for missing data';
  }
  if (response.status >= 400) return response.kind ?? `${response.status}`;
  return isOwn ? 'own' : 'yes';
}

/** The problem details without the request id. */
const withoutId = (body: unknown) => JSON.stringify({ ...(body as object), requestId: null });

/** Whether the caller has nothing to do with the author or owner. */
const isUnrelated = (column: CallerKind) =>
  ['signed out', 'another member', 'moderator', 'admin'].includes(column);

/** Whether the shared members would be signed out, or changed for later endpoints. */
const needsNewMembers = (operation: Operation) =>
  operation.method !== 'GET' &&
  (changesSignIn(operation) || isSignInMethod(operation) || /^\/(members$|email\/)/u.test(operation.path));

/** The member who sends the request, and the owner of what it is about. */
async function callersOf(operation: Operation, column: CallerKind): Promise<readonly [Member, Member]> {
  const one = async (known: Member) =>
    needsNewMembers(operation)
      ? server.register(known === moderator || known === admin ? `${known.name} ${++moderators}` : known.name)
      : known;
  if (column === 'the same, suspended' || column === 'waiting account') {
    const owner = await one(column === 'waiting account' ? waiting : suspended);
    return [owner, owner];
  }
  const owner = await one(author);
  if (column === 'author or owner') return [owner, owner];
  const unrelated = { moderator, admin }[column as string] ?? other;
  return [await one(unrelated), owner];
}

describe('a live socket', () => {
  test('can subscribe to the topics that docs/permissions.md allows', async () => {
    const node = await startLiveNode(server.database);
    const [visitor, someone] = [new ApiClient(node.address), await register(node.address, 'Other')];
    const writer = await register(node.address, 'Author');
    const moderator = await register(node.address, 'Maud');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    const applicant = await register(node.address, 'Applicant');
    await sql`update member set application = 'waiting' where id = ${applicant.id}`.execute(server.db);
    const admin = await register(node.address, 'Adele');
    await setRole(server.db, { email: admin.email, role: 'admin' });
    const questionId = await writer.ask();
    const callers = {
      'signed out': visitor,
      'another member': someone,
      'author or owner': writer,
      'the same, suspended': writer,
      'waiting account': applicant,
      moderator,
      admin,
    };
    try {
      for (const [topic, wanted] of Object.entries(topicRules)) {
        const name = topic.replace('{id}', `${topic.startsWith('question') ? questionId : writer.id}`);
        const results: Partial<Record<CallerKind, string>> = {};
        for (const column of callerKinds) results[column] = await listen(node.address, callers[column], name);
        expect({ topic, ...results }).toEqual({ topic, ...wanted });
      }
    } finally {
      await node.stop();
    }
  });
});

async function listen(address: string, caller: ApiClient, topic: string): Promise<string> {
  const listener = new LiveClient(address, caller);
  try {
    const refused = await Promise.race([
      listener.ended,
      listener.connected.then(
        () => null,
        () => listener.ended,
      ),
    ]);
    if (refused !== null) return refused;
    const answer = await listener.subscribe(topic);
    return answer.ok ? 'yes' : answer.reason;
  } finally {
    listener.close();
  }
}

describe('other members do not see', () => {
  test('bookmarks, mutes, drafts and settings of a member, in any response or event', async () => {
    const setup = await setUp();
    const requests = [];
    for (const operation of operations.filter(isUnseen).toSorted(signInLast))
      requests.push({
        operation,
        validRequest: isSignInMethod(operation)
          ? null
          : await createValidRequest(operation, setup.author, setup.author),
      });
    expect(requests.length).toBeGreaterThan(20);
    const before = await setup.seen();
    const since = await setup.now();
    const firstElsewhere = requests.find(({ operation }) => changesSignIn(operation));
    for (const request of requests) {
      const { operation, validRequest: early } = request;
      await server.resetRateLimits();
      // From here on, the author signs in repeatedly with the password only.
      if (request === firstElsewhere) await disableTwoFactor(setup.author);
      const validRequest = early ?? (await createValidRequest(operation, setup.author, setup.author));
      const browser = changesSignIn(operation) ? await setup.author.signInElsewhere() : setup.author;
      expectOk(await browser.send(operation.method, validRequest.path, validRequest));
    }
    expect(await setup.events(since, `member:${setup.author.id}`)).toEqual([]);
    const after = await setup.seen();
    expect(after).toEqual(before);
    expect(secrets.filter((text) => JSON.stringify(after).includes(text))).toEqual([]);
    await setup.stop();
  });

  test('who voted or follows: the vote of another member looks the same', async () => {
    const setup = await setUp();
    const events = [];
    const seen = [];
    for (const member of [await server.register('Third'), setup.author]) {
      const since = await setup.now();
      await setup.mark(member, true);
      seen.push(await setup.seen());
      await setup.mark(member, false);
      events.push(await setup.events(since, 'member:%'));
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(events[1]).toEqual(events[0]);
    expect(events[0]?.length).toBeGreaterThan(0);
    await setup.stop();
  });
});

/**
 * Writes that no other member may see: of the caller's own data, of data private to its owner, and those in
 * `privateWrites`.
 */
function isUnseen({ name, method }: Operation): boolean {
  if (method === 'GET' || publicWrites.has(name)) return false;
  if (permissions[name]?.['author or owner'] === 'not-found') return false;
  const cell = permissions[name]?.['another member'];
  return cell === 'own' || cell === 'not-found' || privateWrites.has(name);
}

/** Sort order: operations that end a single session, other sessions, then all sessions run last. */
const signInLast = (a: Operation, b: Operation) =>
  Number(changesSignIn(a)) - Number(changesSignIn(b)) || b.path.length - a.path.length;
/** Operations on sign-in methods and sessions: their valid requests depend on each other. */
const isSignInMethod = ({ path }: Operation) =>
  /^\/(two-factor|passkeys|provider-accounts|sessions)(\/|$)/u.test(path);
/** Whether the member may have to sign in again, possibly with another email address. */
const changesSignIn = ({ path }: Operation) =>
  /^\/(sessions?|password|email-address|account-deletion|email\/(password-reset|revert))(\/|$)/u.test(path);

/** Texts that the valid requests write into private data. */
const secrets = ['Try this on Sunday', 'For later', 'So far.', 'To read'];

/** Creates a member with posts, and another member who reads everything on a node with a response cache. */
async function setUp() {
  const node = await startCachingNode(server.database);
  const own = await server.register('Secretive');
  const reader = node.browserOf(await server.register('Reader'));
  const asked = await own.ask({ tags: ['bread', 'rye'] });
  const answer = await own.answer(await ann.ask({ tags: ['bread'] }));
  const reply = await own.replyToAnswer(answer.id);
  const comment = await own.replyToQuestion(asked);
  const post = await bob.ask({ tags: ['rye'] });
  const ids: Record<string, number> = {
    questions: asked,
    answers: answer.id,
    replies: reply.id,
    members: own.id,
  };
  // Updates statistics, which rank related questions: an automatic ANALYZE during a test would change their order.
  await sql`analyze base_question`.execute(server.db);
  const addresses = operations
    .filter(({ name, method }) => method === 'GET' && permissions[name]?.['another member'] !== 'not-found')
    // The archive contains timestamps; `data-export.test.ts` checks it.
    .filter(({ path }) => path !== '/data-export')
    // Only imported profiles have it.
    .filter(({ path }) => path !== '/members/{id}/claim')
    // Site settings, which nobody sets here.
    .filter(({ path }) => path !== '/site-pages/{name}')
    .flatMap((operation) => addressesOf(operation, ids))
    .map((address) =>
      address.includes('/answers/position?')
        ? `/questions/${asked}/answers/position?kind=reply&post=${comment.id}`
        : address,
    );
  return { author: own, mark, seen, now, events, stop: node.stop };

  /** All anonymous counted actions on posts and topics of other members. */
  async function mark(member: Member, marked: boolean): Promise<void> {
    await member.vote('questions', post, marked ? 'up' : null);
    expectOk(await member.put(`/questions/${post}/follow`, { following: marked }));
    expectOk(await member.put('/tags/rye/follow', { following: marked }));
  }

  async function seen(): Promise<Record<string, unknown>> {
    // Waits until the node has processed earlier writes.
    expectOk(await node.browserOf(ann).put('/tags/rye/mute', { muted: false }));
    const token = node.caches.responses.writes.createToken();
    await eventually(() => node.caches.responses.writes.hasSeen(token));
    const responses: Record<string, unknown> = {};
    for (const address of addresses) responses[address] = expectOk(await reader.get(address));
    return responses;
  }

  async function now(): Promise<number> {
    const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from event`.execute(
      server.db,
    );
    return rows[0]?.id ?? 0;
  }

  /** All events since then, except those to moderators about reports and those of topics like `but`. */
  async function events(since: number, but: string): Promise<unknown[]> {
    const { rows } = await sql`
      select topic, event from event where id > ${since} and topic <> 'moderation' and topic not like ${but}
        and topic not in (select 'member:' || id from member where role <> 'member')
      order by id`.execute(server.db);
    return rows;
  }
}

/** The URLs of an endpoint, with each of its enum parameters and with search terms. */
function addressesOf({ path, parameters }: Operation, ids: Readonly<Record<string, number>>): string[] {
  const [, kind = ''] = path.replace(/^\/viewer/, '').split('/');
  const feeds = path.includes('{feed}') ? ['recent', 'popular', 'unanswered'] : [''];
  const queries = parameters.filter(({ in: place }) => place === 'query');
  const search = queries.some(({ name }) => name === 'q') ? ['q=bread&', 'q=Secretive&'] : [''];
  const choices = queries.flatMap(({ name, schema }) => {
    if (name === 'ids') return [`ids=${ids['questions']}`];
    if (name === 'tags') return ['tags=bread,rye'];
    return (schema.enum ?? []).map((value) => `${name}=${String(value)}`);
  });
  return feeds.flatMap((feed) => {
    const filled = path
      .replace('{feed}', feed)
      .replace('{tag}', 'rye')
      .replace('{target}', 'ask')
      .replace('{number}', '1')
      .replace('{id}', `${ids[kind]}`);
    return search.flatMap((words) =>
      (choices.length > 0 ? choices : ['']).map((choice) => `${filled}?${words}${choice}`),
    );
  });
}
