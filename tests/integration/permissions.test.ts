import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
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
const operator = await server.register('Operator');
/** Two of one name would imitate each other. */
let operators = 0;
await setRole(server.db, { email: operator.email, role: 'operator' });
const rightRequest = createValidRequests({ ann, bob, db: server.db });
const operations = listOperations(expectOk(await server.visitor().get<Document>('/openapi.json')));

test('every endpoint has its row, and there is none for others', () => {
  const names = operations.map(({ name }) => name);
  expect(Object.keys(permissions).toSorted()).toEqual(names.toSorted());
});

test('docs/permissions.md says what is tested here', async () => {
  await expect(renderPermissionsDocument(operations)).toMatchFileSnapshot('../../docs/permissions.md');
});

describe('is answered to each as docs/permissions.md says, and what is refused or only read changes nothing', () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const wanted = permissions[name];
      const calls = [];
      for (const column of callerKinds) calls.push(await callOf(operation, column));
      const found: Partial<Record<CallerKind, string>> = {};
      const isHarmless = ({ column }: Call) =>
        operation.method === 'GET' || !['yes', 'own'].includes(wanted?.[column] ?? '');
      const before = await databaseChecksum(server.db);
      for (const call of calls.filter(isHarmless)) found[call.column] = await outcome(call, wanted);
      expect(found).toEqual(pick(wanted, calls.filter(isHarmless)));
      expect(await databaseChecksum(server.db)).toBe(before);
      for (const call of calls.filter((each) => !isHarmless(each)))
        found[call.column] = await outcome(call, wanted);
      expect(found).toEqual(wanted);
      // What was begun is done, so that it changes nothing while the next endpoint is tried.
      await runActivityRemovals(server.db, Date.now() + 60_000);
    },
  );
});

/** A request by one kind of caller. */
type Call = {
  column: CallerKind;
  operation: Operation;
  caller: ApiClient;
  owner: Member;
  right: ValidRequest;
};

async function callOf(operation: Operation, column: CallerKind): Promise<Call> {
  const [sender, owner] = await callersOf(operation, column);
  // Nobody flags what is their own: the example for one's own is about somebody else's.
  const about = operation.path.endsWith('/flag') ? other : sender;
  await setSuspended(false);
  const right = await rightRequest(operation, sender === owner ? about : sender, owner);
  await setSuspended(true);
  return { column, operation, caller: column === 'signed out' ? signedOut(sender) : sender, owner, right };
}

/** The same browser without its session: what lies between two requests of one sign-in is kept in it. */
function signedOut(sender: Member): ApiClient {
  const visitor = server.visitor();
  for (const [name, value] of sender.cookies)
    if (!name.endsWith('session_token')) visitor.cookies.set(name, value);
  return visitor;
}

/** They can make what the requests are about before they are suspended. */
async function setSuspended(holds: boolean): Promise<void> {
  await sql`
    update member set suspension_reason = ${holds ? 'Advertising.' : null},
      suspended_until = ${holds ? sql`now() + interval '1 day'` : null}
    where display_name = 'Suspended'`.execute(server.db);
}

function pick(rule: Partial<Record<CallerKind, string>> | undefined, calls: readonly Call[]) {
  return Object.fromEntries(calls.map(({ column }) => [column, rule?.[column]]));
}

/** What was answered; or what was wrong with it, though it looks like what was wanted. */
async function outcome(
  { column, operation, caller, owner, right }: Call,
  wanted: PermissionRule | undefined,
) {
  const { method, path } = operation;
  const isOwn = wanted?.[column] === 'own';
  const isOthers = isOwn && method !== 'GET' && (column === 'another member' || column === 'operator');
  const before = isOthers && (await memberChecksum(server.db, owner.id));
  const response = await caller.send(method, right.path, right);
  if (isOthers && (await memberChecksum(server.db, owner.id)) !== before)
    return `${response.status}, and it changed what is the owner's`;
  if (response.status === 404) {
    const { body } = await caller.send(method, path.replace('{id}', '999999999'), right);
    if (withoutId(body) !== withoutId(response.body)) return 'not-found, but it is told apart';
  }
  if (response.status >= 400) return response.code ?? `${response.status}`;
  return isOwn ? 'own' : 'yes';
}

/** A problem without the number of its request. */
const withoutId = (body: unknown) => JSON.stringify({ ...(body as object), requestId: null });

/** Who sends, and whose things it is about. */
async function callersOf(operation: Operation, column: CallerKind): Promise<readonly [Member, Member]> {
  // Nobody is signed out, or somebody else, for those who come after.
  const makesAnother =
    changesSignIn(operation) || isWayIn(operation) || /^\/(members$|mail\/)/u.test(operation.path);
  const isFresh = operation.method !== 'GET' && makesAnother;
  const one = async (known: Member) =>
    isFresh ? server.register(known === operator ? `Operator ${++operators}` : known.name) : known;
  if (column === 'the same, suspended') {
    const owner = await one(suspended);
    return [owner, owner];
  }
  const owner = await one(author);
  if (column === 'author or owner') return [owner, owner];
  return [await one(column === 'operator' ? operator : other), owner];
}

describe('a live socket may listen', () => {
  test('to what docs/permissions.md says', async () => {
    const node = await startLiveNode(server.database);
    const [nobody, someone] = [new ApiClient(node.address), await register(node.address, 'Other')];
    const writer = await register(node.address, 'Author');
    const keeper = await register(node.address, 'Operator');
    await setRole(server.db, { email: keeper.email, role: 'operator' });
    const questionId = await writer.ask();
    const callers = {
      'signed out': nobody,
      'another member': someone,
      'author or owner': writer,
      'the same, suspended': writer,
      operator: keeper,
    };
    try {
      for (const [topic, wanted] of Object.entries(topicRules)) {
        const name = topic.replace('{id}', `${topic.startsWith('question') ? questionId : writer.id}`);
        const found: Partial<Record<CallerKind, string>> = {};
        for (const column of callerKinds) found[column] = await listen(node.address, callers[column], name);
        expect({ topic, ...found }).toEqual({ topic, ...wanted });
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

describe('nobody else learns', () => {
  test('what members keep, mute, draft and set for themselves, from any answer or event', async () => {
    const stage = await setStage();
    const acts = [];
    for (const operation of operations.filter(isUnseen).toSorted(signInLast))
      acts.push({
        operation,
        right: isWayIn(operation) ? null : await rightRequest(operation, stage.author, stage.author),
      });
    expect(acts.length).toBeGreaterThan(20);
    const before = await stage.seen();
    const since = await stage.now();
    const firstElsewhere = acts.find(({ operation }) => changesSignIn(operation));
    for (const act of acts) {
      const { operation, right: early } = act;
      await server.resetRateLimits();
      // From here on they sign in again and again, by the password.
      if (act === firstElsewhere) await disableTwoFactor(stage.author);
      const right = early ?? (await rightRequest(operation, stage.author, stage.author));
      const browser = changesSignIn(operation) ? await stage.author.signInElsewhere() : stage.author;
      expectOk(await browser.send(operation.method, right.path, right));
    }
    expect(await stage.told(since, `member:${stage.author.id}`)).toEqual([]);
    const after = await stage.seen();
    expect(after).toEqual(before);
    expect(secrets.filter((text) => JSON.stringify(after).includes(text))).toEqual([]);
    await stage.stop();
  });

  test('who it was that voted or follows: another’s vote looks the same', async () => {
    const stage = await setStage();
    const told = [];
    const seen = [];
    for (const member of [await server.register('Third'), stage.author]) {
      const since = await stage.now();
      await stage.mark(member, true);
      seen.push(await stage.seen());
      await stage.mark(member, false);
      told.push(await stage.told(since, 'member:%'));
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(told[1]).toEqual(told[0]);
    expect(told[0]?.length).toBeGreaterThan(0);
    await stage.stop();
  });
});

/** What has no id of another member's, or is not there for others, and what is said to be unseen. */
function isUnseen({ name, method }: Operation): boolean {
  if (method === 'GET' || publicWrites.has(name)) return false;
  if (permissions[name]?.['author or owner'] === 'not-found') return false;
  const cell = permissions[name]?.['another member'];
  return cell === 'own' || cell === 'not-found' || privateWrites.has(name);
}

/** One of them, the others, all. */
const signInLast = (a: Operation, b: Operation) =>
  Number(changesSignIn(a)) - Number(changesSignIn(b)) || b.path.length - a.path.length;
/** How and where the member signs in: what a right request is depends on those before it. */
const isWayIn = ({ path }: Operation) =>
  /^\/(second-factor|passkeys|provider-account|sessions)(\/|$)/u.test(path);
/** Whether the member may have to sign in anew, perhaps with another address. */
const changesSignIn = ({ path }: Operation) =>
  /^\/(sessions?|password|address|departure|mail\/(password|old-address))(\/|$)/u.test(path);

/** Words that the right requests put into what is private. */
const secrets = ['Try this on Sunday', 'For later', 'So far.', 'To read'];

/** A member with posts, and somebody else who reads all there is on a node that keeps what it answers with. */
async function setStage() {
  const node = await startCachingNode(server.database);
  const own = await server.register('Secretive');
  const reader = node.browserOf(await server.register('Reader'));
  const asked = await own.ask({ tags: ['bread', 'rye'] });
  const answer = await own.answer(await ann.ask({ tags: ['bread'] }));
  const reply = await own.replyToAnswer(answer.id);
  const post = await bob.ask({ tags: ['rye'] });
  const ids: Record<string, number> = {
    questions: asked,
    answers: answer.id,
    replies: reply.id,
    members: own.id,
  };
  // Statistics rank related questions: PostgreSQL's automatic ANALYZE in the middle of a test would change their order.
  await sql`analyze question`.execute(server.db);
  const addresses = operations
    .filter(({ name, method }) => method === 'GET' && permissions[name]?.['another member'] !== 'not-found')
    // An archive in which the moments stand; `downloads.test.ts` reads it.
    .filter(({ path }) => path !== '/download')
    .flatMap((operation) => addressesOf(operation, ids));
  return { author: own, mark, seen, now, told, stop: node.stop };

  /** Everything anybody can do to a post or topic of others that is counted without a name. */
  async function mark(member: Member, marked: boolean): Promise<void> {
    await member.vote('questions', post, marked ? 'up' : null);
    expectOk(await member.put(`/questions/${post}/follow`, { following: marked }));
    expectOk(await member.put('/topics/rye/follow', { following: marked }));
  }

  async function seen(): Promise<Record<string, unknown>> {
    // The node has heard of what was done before.
    expectOk(await node.browserOf(ann).put('/topics/rye/mute', { muted: false }));
    const token = node.caches.responses.writes.createToken();
    await eventually(() => node.caches.responses.writes.hasSeen(token));
    const found: Record<string, unknown> = {};
    for (const address of addresses) found[address] = expectOk(await reader.get(address));
    return found;
  }

  async function now(): Promise<number> {
    const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from event`.execute(
      server.db,
    );
    return rows[0]?.id ?? 0;
  }

  /** What everybody was told of since then, but for operators of flags, and for topics like this one. */
  async function told(since: number, but: string): Promise<unknown[]> {
    const { rows } = await sql`
      select topic, event from event where id > ${since} and topic <> 'care' and topic not like ${but}
      order by id`.execute(server.db);
    return rows;
  }
}

/** Where an endpoint can be read: with each of its choices, and with words to look for. */
function addressesOf({ path, parameters }: Operation, ids: Readonly<Record<string, number>>): string[] {
  const [, kind = ''] = path.split('/');
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
