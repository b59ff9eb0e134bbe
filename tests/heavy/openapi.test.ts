import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { databaseChecksum } from '#tests/support/database-checksum.ts';
import { listInvalidRequests, isCompleteProblem } from '#tests/support/invalid-requests.ts';
import { unreachableEmailServer, startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { expectOk } from '#tests/support/member.ts';
import { type Document, listOperations } from '#tests/support/openapi.ts';
import { type CreateValidRequest, createValidRequests } from '#tests/support/valid-requests.ts';

// Everything here comes from the API's own description: an endpoint that is added is tried as well, or, where its
// parameters or fields are not known here, fails every test about it.
const { server } = await startServerWithProvider({ email: unreachableEmailServer, runsScheduledJobs: false });
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const document = expectOk(await server.visitor().get<Document>('/openapi.json'));
const operations = listOperations(document);

const made = createValidRequests({ ann, bob, db: server.db });
const rightRequest: CreateValidRequest = async (operation, sender, owner) => {
  // For all others there is nothing at these addresses.
  if (/^\/(care|moderation)\//.test(operation.path))
    await setRole(server.db, { email: sender.email, role: 'operator' });
  return made(operation, sender, owner);
};

// Some become operators, whose names nobody else may have.
let senders = 0;

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
      const sender = await server.register(`Sender ${++senders}`);
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
    await bob.vote('replies', (await ann.replyToAnswer(answer.id)).id, 'up');
    await bob.put('/topics/bread/follow', { following: true });
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_, operation) => {
      const right = await rightRequest(operation, bob, bob);
      const before = await databaseChecksum(server.db);
      const wrong: string[] = [];
      for (const { description, path, sending, mayBeAccepted } of listInvalidRequests(operation, right)) {
        if (operation.body !== undefined) await server.resetRateLimits();
        const { status, body, headers } = await bob.send(operation.method, path, sending);
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
