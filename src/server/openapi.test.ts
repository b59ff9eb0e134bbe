import { randomBytes } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import webPush from 'web-push';
import { linkToken, type LinkPurpose } from './testing/links.ts';
import { confirmationToken, unsubscribeToken } from './preferences/preferences.ts';
import { done, type Member, password, type Sending } from './testing/member.ts';
import {
  type Document,
  type Operation,
  operationsOf,
  type Parameter,
  wrongValues,
} from './testing/openapi.ts';
import { defaults, startTestServer } from './testing/server.ts';

// Everything here comes from the API's own description: an endpoint that is added is tried as well, or, where its
// parameters or fields are not known here, fails every test about it.
// Mails go to nobody: nothing listens there.
const mail = { url: 'smtp://127.0.0.1:1', from: 'parley@example.org' };
const server = await startTestServer({}, { mail });
afterAll(() => server.stop());
beforeEach(() => server.forgetRates());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const document = done(await server.visitor().get<Document>('/openapi.json'));
const operations = operationsOf(document);
const changing = operations.filter(({ method }) => method === 'PUT' || method === 'DELETE');

/** A right value for each field of any body. */
const fields: Record<string, () => unknown> = {
  displayName: () => 'Newcomer',
  email: () => `newcomer${++newcomers}@example.org`,
  password: () => password,
  confirmPassword: () => password,
  currentPassword: () => password,
  newPassword: () => password,
  title: () => 'Is this right?',
  content: () => 'It is.',
  tags: () => ['bread'],
  parentReplyId: () => null,
  answerId: () => null,
  vote: () => 'up',
  following: () => true,
  upTo: () => null,
  bio: () => 'Bakes.',
  showEmail: () => true,
  basedOn: () => null,
  key: () => 'a-draft-and-what-it-posts',
  fields: () => ({ content: 'So far.' }),
  writer: () => 'a-browser-of-bobs',
  step: () => 1,
  bookmarked: () => true,
  note: () => 'Try this on Sunday.',
  listIds: () => [],
  bookmarkedAt: () => '2026-01-01T00:00:00.000Z',
  name: () => `To read ${++lists}`,
  muted: () => true,
  inApp: () => true,
  mail: () => 'daily',
  push: () => false,
  timeZone: () => 'Europe/Berlin',
  endpoint: () => `https://fcm.googleapis.com/fcm/send/${++newcomers}`,
  p256dh: () => webPush.generateVAPIDKeys().publicKey,
  posts: () => 'stay',
  auth: () => randomBytes(16).toString('base64url'),
};
let newcomers = 0;
let lists = 0;

/** Something of `owner` for the variable part of each path; the longest beginning that fits is taken. */
const places: Record<string, (owner: Member) => Promise<number | string>> = {
  '/questions/{id}': (owner) => owner.ask({ tags: ['bread'] }),
  '/answers/{id}': async (owner) => (await owner.answer(await ann.ask())).id,
  '/replies/{id}': async (owner) => (await owner.reply((await ann.answer(await ann.ask())).id)).id,
  '/sessions/{id}': async (owner) => (await itemsOf(await owner.elsewhere(), '/sessions'))[0]?.id ?? 0,
  '/notifications/{id}': async (owner) => {
    await (owner === ann ? bob : ann).comment(await owner.ask());
    return (await itemsOf(owner, '/notifications'))[0]?.id ?? 0;
  },
  '/drafts/{place}': async () => 'ask',
  '/bookmarks/{id}': async (owner) => {
    const path = `/questions/${await ann.ask()}/bookmark`;
    return done(await owner.put<{ id: number }>(path, { bookmarked: true })).id;
  },
  '/bookmark-lists/{id}': async (owner) =>
    done(await owner.post<{ id: number }>('/bookmark-lists', { name: `For later ${++lists}` })).id,
  '/members/{id}': async (owner) => owner.id,
  '/topics/{tag}': async () => 'bread',
  '/feeds/{feed}': async () => 'recent',
  '/notification-settings/{about}': async () => 'answers',
};

async function itemsOf(member: Member, path: string) {
  return done(await member.get<{ items: { id: number }[] }>(path)).items;
}

/** A request the API must take from `sender`, about something of `owner`. */
type Right = { path: string; body: Record<string, unknown> | undefined; headers: Record<string, string> };

async function rightRequest(operation: Operation, sender: Member, owner: Member): Promise<Right> {
  const { path, body } = operation;
  const place = Object.keys(places).find((beginning) => path.startsWith(beginning));
  if (path.includes('{') && place === undefined) throw new Error(`no example for the path ${path}`);
  const value = place === undefined ? '' : await places[place]?.(owner);
  const right: Record<string, unknown> = {};
  for (const field of Object.keys(body?.properties ?? {}))
    right[field] = await rightField(operation, field, sender);
  return { path: path.replace(/\{\w+\}/, `${value}`), body: body && right, headers: {} };
}

/** What the links in mails of these lead to. */
const linked: Record<string, LinkPurpose> = {
  'POST /mail/password': 'reset',
  'POST /mail/address': 'address',
  'POST /mail/old-address': 'return',
};

async function rightField(operation: Operation, field: string, sender: Member): Promise<unknown> {
  const { id: memberId, email } = sender;
  if (operation.name === 'POST /mail/unsubscribe')
    return unsubscribeToken(defaults, { memberId, scope: 'answers' });
  if (operation.name === 'POST /mail/confirmation') return confirmationToken(defaults, { memberId, email });
  const purpose = field === 'token' ? linked[operation.name] : undefined;
  if (purpose !== undefined) return linkToken(server.db, { memberId, purpose });
  const example = fields[field];
  if (example === undefined) throw new Error(`no example for the field ${field} of ${operation.name}`);
  // Signing in needs an address that is there.
  return operation.name === 'POST /session' && field === 'email' ? sender.email : example();
}

test('the description is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  expect(operations.length).toBeGreaterThan(40);
});

describe('a right request is answered as described', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_, operation) => {
      // A member each: some requests end sessions or change passwords.
      const sender = await server.register('Bob');
      const right = await rightRequest(operation, sender, sender);
      const response = await sender.send(operation.method, right.path, right);
      const described = operation.responses[response.status];
      expect(response).toMatchObject({
        status: expect.toSatisfy((status: number) => status >= 200 && status < 300),
      });
      expect(described).toBeDefined();
      // Of a file, only that there is one.
      const isFile = described?.content?.['application/gzip'] !== undefined;
      const bare = isFile ? { type: 'string', minLength: 1 } : { const: '' };
      const fits = ajv.compile(described?.content?.['application/json']?.schema ?? bare);
      fits(response.body);
      expect(fits.errors).toBeNull();
    },
  );
});

describe('a bad request is refused with problem details and changes nothing', () => {
  beforeAll(async () => {
    // Something of everything, so that a change of anything would be seen.
    const answer = await ann.answer(await ann.ask({ tags: ['bread'] }));
    await bob.vote('replies', (await ann.reply(answer.id)).id, 'up');
    await bob.put('/topics/bread/follow', { following: true });
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_, operation) => {
      const right = await rightRequest(operation, bob, bob);
      const bad = [...badPaths(operation), ...badQueries(operation, right), ...badHeaders(operation, right)];
      if (operation.body !== undefined) bad.push(...badBodies(operation, right));
      const before = await checksum();
      const wrong: string[] = [];
      for (const { said, path, sending, tolerated } of bad) {
        if (operation.body !== undefined) await server.forgetRates();
        const { status, body, headers } = await bob.send(operation.method, path, sending);
        if (tolerated && status === 200) continue;
        const isProblem = headers.get('content-type') === 'application/problem+json';
        if (status < 400 || status >= 500 || status === 429 || !isProblem || !isWhole(body, status))
          wrong.push(`${said}: ${status} ${JSON.stringify(body)}`.slice(0, 200));
      }
      expect(wrong).toEqual([]);
      expect(await checksum()).toBe(before);
    },
  );
});

describe("what is somebody else's", () => {
  const ofMembers = changing.filter(({ path }) =>
    /^\/(questions|answers|replies|sessions|notifications|bookmarks|bookmark-lists)\/\{id\}/.test(path),
  );
  const onOthers = /\/(vote|view|follow|bookmark|mute)$/;

  test.each(
    ofMembers
      .filter(({ path }) => !onOthers.test(path))
      .map((operation) => [operation.name, operation] as const),
  )('is not to be changed by %s', async (_, operation) => {
    const right = await rightRequest(operation, bob, ann);
    const before = await checksum();
    const refused = await bob.send(operation.method, right.path, right);
    expect([403, 404]).toContain(refused.status);
    expect(isWhole(refused.body, refused.status)).toBe(true);
    expect(await checksum()).toBe(before);
  });
});

/** `tolerated`: may be answered with 200, where nothing could be wrong with reading it. */
type Bad = { said: string; path: string; sending: Sending; tolerated?: boolean };

const unknown: Record<string, string[]> = {
  id: ['0', '-1', '1.5', '1e3', 'abc', '%00', '%ff', '%20', '999999999', `${2 ** 53 - 1}`, '9'.repeat(40)],
  place: ['sideways', 'answer:0', 'reply:feed:1', 'edit:reply:1.5', '%00', '%ff', 'x'.repeat(201)],
  feed: ['sideways', '%00', '%ff', 'x'.repeat(201)],
  about: ['sideways', '%00', '%ff', 'x'.repeat(201)],
  // A topic can be followed before anybody asked about it.
  tag: ['%00', '%07', 'x'.repeat(201)],
};

function badPaths(operation: Operation): Bad[] {
  const parameter = operation.parameters.find(({ in: place }) => place === 'path');
  if (parameter === undefined) return [];
  const values = unknown[parameter.name];
  if (values === undefined) throw new Error(`no bad examples for the parameter ${parameter.name}`);
  const body =
    operation.body &&
    Object.fromEntries(
      Object.keys(operation.body.properties ?? {}).map((field) => [field, fields[field]?.()]),
    );
  return values.map((value) => ({
    said: `the path with ${value}`,
    path: operation.path.replace(/\{\w+\}/, value),
    sending: { body },
  }));
}

const cursorOf = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');
const badCursors = [
  'x',
  '%00',
  '%ff',
  'A'.repeat(201),
  ...['x', null, {}, [], [1], [1.5, 1], [-8.64e15, 1], [1e300, 1], [1, 0.5], ['1', '1'], [1, 2 ** 60]].map(
    cursorOf,
  ),
];

function badQueries({ parameters }: Operation, right: Right): Bad[] {
  const queries = parameters.filter(({ in: place }) => place === 'query');
  // A search for nothing looks at nothing else.
  const searched = queries.some(({ name }) => name === 'q') ? 'q=bread&' : '';
  return queries.flatMap((parameter) =>
    badQueryValues(parameter).map(({ value, tolerated }) => ({
      said: `${parameter.name}=${value}`,
      path: `${right.path}?${parameter.name === 'q' ? '' : searched}${parameter.name}=${value}`,
      sending: right,
      tolerated,
    })),
  );
}

function badQueryValues({ name, schema }: Parameter) {
  if (name === 'cursor') return badCursors.map((value) => ({ value, tolerated: false }));
  const long =
    schema.maxLength === undefined ? [] : [{ value: 'x'.repeat(schema.maxLength + 1), tolerated: false }];
  // Any text is a question that can be asked; it must find nothing, not fail.
  const odd = ['%00', '%ff', '%ED%A0%80', '%25_%5C', "'%22%3B--", '%F0%9F%8D%9E', '*:*', '%26 %7C !'];
  if (schema.enum === undefined) return [...long, ...odd.map((value) => ({ value, tolerated: true }))];
  return ['sideways', '', '%00'].map((value) => ({ value, tolerated: false }));
}

function badHeaders({ parameters, method, body }: Operation, right: Right): Bad[] {
  const keys = ['short', 'x'.repeat(101), 'with spaces in it', "quote'--12345"];
  const hasKey = parameters.some(({ name }) => name === 'idempotency-key');
  const origins = method === 'GET' ? [] : ['https://evil.example', 'null'];
  const types = body === undefined ? [] : ['text/plain', 'application/xml', 'nonsense'];
  return [
    ...(hasKey ? keys : []).map((key) => ({
      said: `the key ${key}`,
      path: right.path,
      sending: { ...right, key },
    })),
    ...origins.map((origin) => ({
      said: `the origin ${origin}`,
      path: right.path,
      sending: { ...right, headers: { origin } },
    })),
    ...types.map((type) => ({
      said: `the type ${type}`,
      path: right.path,
      sending: { ...right, headers: { 'content-type': type } },
    })),
  ];
}

function badBodies({ body: schema }: Operation, right: Right): Bad[] {
  const { path, body } = right;
  const { properties = {}, required = [] } = schema ?? {};
  const whole = [
    'null',
    '[]',
    '"text"',
    '7',
    '{',
    '',
    '{"a":'.repeat(10_000),
    `{"x":"${'x'.repeat(600_000)}"}`,
  ];
  const send = (said: string, changed: unknown): Bad => ({ said, path, sending: { body: changed } });
  return [
    ...whole.map((text) => send(`the body ${text.slice(0, 20)}`, text)),
    ...required.map((field) => send(`without ${field}`, { ...body, [field]: undefined })),
    send('a field nobody knows', { ...body, unknown: 1 }),
    send('a field of every object', `{"__proto__":{"a":1},${JSON.stringify(body).slice(1)}`),
    ...Object.entries(properties).flatMap(([field, property]) =>
      wrongValues(property)
        // A password may be made of anything.
        .filter(({ value }) => !(/password/i.test(field) && typeof value === 'string' && value.length < 100))
        .map(({ said, value }) => send(`${field} ${said}`, { ...body, [field]: value })),
    ),
  ];
}

function isWhole(body: unknown, status: number): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { code, detail, title, type, ...rest } = body as Record<string, unknown>;
  const texts = [code, detail, title, type];
  return texts.every((text) => typeof text === 'string' && text !== '') && rest['status'] === status;
}

/**
 * Of every row of every table, but for sessions, limits on rates, what a job learns for search at some moment, and what is
 * written behind an answer, so that it takes as long for an address that nobody has.
 */
async function checksum(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ('session', 'rate_limit', 'search_word', 'setting', 'account_link', 'security_event')
    order by table_name`.execute(server.db);
  const sums = tables.map(
    ({ name }) =>
      sql`(select ${sql.lit(name)} || ' ' || md5(coalesce(string_agg(row::text, ' ' order by row::text), '')) from ${sql.table(name)} row)`,
  );
  const { rows } = await sql<{ sum: string }>`select concat_ws(E'\n', ${sql.join(sums)}) as sum`.execute(
    server.db,
  );
  return rows[0]?.sum ?? '';
}
