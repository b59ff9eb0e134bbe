import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { projectRoot } from '#server/core/paths.ts';
import { databaseChecksum } from '#tests/support/database-checksum.ts';
import { listInvalidRequests, isCompleteProblem } from '#tests/support/invalid-requests.ts';
import { unreachableEmailServer, startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { expectOk } from '#tests/support/member.ts';
import { type Document, listOperations } from '#tests/support/openapi.ts';
import {
  type CreateValidRequest,
  createValidRequests,
  type ValidRequest,
} from '#tests/support/valid-requests.ts';

// All requests come from the OpenAPI document, so new endpoints are tested automatically. An endpoint whose parameters
// or fields have no example here fails every test about it.
const { server } = await startServerWithProvider({ email: unreachableEmailServer, runsScheduledJobs: false });
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const document = expectOk(await server.visitor().get<Document>('/openapi.json'));
const operations = listOperations(document);

const made = createValidRequests({ ann, bob, db: server.db });
const createValidRequest: CreateValidRequest = async (operation, sender, owner) => {
  // For everyone else, these endpoints respond not-found, or need reputation.
  if (/^\/(moderation|admin)\/|\/close-votes$/.test(operation.path))
    await setRole(server.db, { email: sender.email, role: 'admin' });
  // It works once, and not while there is an admin.
  if (operation.name === 'POST /setup') {
    await sql`update member set role = 'member' where role = 'admin'`.execute(server.db);
    await sql`delete from setting where name = 'set_up_at'`.execute(server.db);
  }
  await sql`update member set application = null where id = ${sender.id}`.execute(server.db);
  const request = await made(operation, sender, owner);
  // Only for accounts that wait for approval, which have no role.
  if (operation.path === '/application')
    await sql`
      update member set application = 'waiting', role = 'member' where id = ${sender.id}`.execute(server.db);
  return request;
};

// Senders get different names: some become moderators, whose names no other member may have.
let senders = 0;

type Example = { request?: unknown; status: number; response?: unknown };

/**
 * With `PARLEY_RECORD_EXAMPLES=1`, valid requests and their responses become the examples of operations that have none
 * or whose example does not fit any more.
 */
const examplesFile = path.join(projectRoot, 'src/server/integrations/openapi-examples.json');
const examples =
  process.env['PARLEY_RECORD_EXAMPLES'] === '1'
    ? (JSON.parse(await readFile(examplesFile, 'utf8')) as Record<string, Example>)
    : null;
afterAll(async () => {
  if (examples === null) return;
  const current = operations
    .map(({ name }) => [name, examples[name]] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(examplesFile, `${JSON.stringify(Object.fromEntries(current), null, 2)}\n`);
});

test('the description is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  expect(operations.length).toBeGreaterThan(40);
});

describe('a valid request gets a response as described', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_, operation) => {
      // A new member per operation: some operations end sessions or change passwords.
      const sender = await server.register(`Sender ${++senders}`);
      const validRequest = await createValidRequest(operation, sender, sender);
      const response = await sender.send(operation.method, validRequest.path, validRequest);
      const described = operation.responses[response.status];
      expect(response).toMatchObject({
        status: expect.toSatisfy((status: number) => status >= 200 && status < 300),
      });
      expect(described).toBeDefined();
      // Of files, checks only that a body is described.
      const isFile = ['application/gzip', 'text/csv', 'text/html'].some(
        (type) => described?.content?.[type] !== undefined,
      );
      const bare = isFile ? { type: 'string', minLength: 1 } : { const: '' };
      const fits = ajv.compile(described?.content?.['application/json']?.schema ?? bare);
      fits(response.body);
      expect(fits.errors).toBeNull();
      if (examples !== null && !fits(examples[operation.name]?.response ?? ''))
        examples[operation.name] = createExample(validRequest, response.status, isFile ? '' : response.body);
    },
  );
});

describe('the examples of an operation fit its schemas', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  test.each(operations.map((operation) => [operation.name, operation] as const))('%s', (_, operation) => {
    const media = Object.values(operation.responses).flatMap(
      ({ content }) => content?.['application/json'] ?? [],
    );
    const hasResponse = media.length > 0;
    const response = media.find(({ example }) => example !== undefined);
    expect([operation.body === undefined, operation.example === undefined]).toEqual(
      operation.body === undefined ? [true, true] : [false, false],
    );
    expect(response !== undefined).toBe(hasResponse);
    for (const [schema, example] of [
      [operation.body, operation.example],
      [response?.schema, response?.example],
    ] as const) {
      if (schema === undefined) continue;
      const fits = ajv.compile(schema);
      fits(example);
      expect(fits.errors).toBeNull();
    }
  });
});

describe('an invalid request is rejected with problem details and changes nothing', () => {
  beforeAll(async () => {
    // Creates something of every kind, so that any change would be visible in the checksum.
    const answer = await ann.answer(await ann.ask({ tags: ['bread'] }));
    await bob.vote('replies', (await ann.replyToAnswer(answer.id)).id, 'up');
    await bob.put('/tags/bread/follow', { following: true });
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_, operation) => {
      const validRequest = await createValidRequest(operation, bob, bob);
      const before = await databaseChecksum(server.db);
      const wrong: string[] = [];
      for (const { description, path, sending, mayBeAccepted } of listInvalidRequests(
        operation,
        validRequest,
      )) {
        let response = await bob.send(operation.method, path, sending);
        if (response.status === 429) {
          await server.resetRateLimits();
          response = await bob.send(operation.method, path, sending);
        }
        const { status, body, headers } = response;
        if (mayBeAccepted && status === 200) continue;
        const isProblem = headers.get('content-type') === 'application/problem+json';
        if (status < 400 || status >= 500 || status === 429 || !isProblem || !isCompleteProblem(body, status))
          wrong.push(`${description}: ${status} ${JSON.stringify(body)}`.slice(0, 200));
      }
      expect(wrong).toEqual([]);
      expect(await databaseChecksum(server.db)).toBe(before);
    },
  );
});

function createExample({ body: request }: ValidRequest, status: number, response: unknown): Example {
  return {
    ...(request !== undefined && { request: shorten(request) }),
    status,
    ...(response !== '' && { response: shorten(response) }),
  };
}

/** Keeps the first two items of each list. */
function shorten(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    Array.isArray(part) ? part.slice(0, 2) : part,
  );
}
