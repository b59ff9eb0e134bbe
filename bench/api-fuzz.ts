import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import { listInvalidRequests } from '#tests/support/invalid-requests.ts';
import { eventually } from '#tests/support/eventually.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { startOidcProvider } from '#tests/support/oidc-provider.ts';
import { type ApiClient, type Member, register } from '#tests/support/member.ts';
import { type Document, type Operation, listOperations } from '#tests/support/openapi.ts';
import type { ParleyProcess } from '#tests/support/parley-process.ts';
import { type ValidRequest, createValidRequests } from '#tests/support/valid-requests.ts';
import { defaultSettings } from '#tests/support/server.ts';
import { withTemporaryDirectory, withTemporaryParley } from '#tests/support/temporary-parley.ts';
import { createRandom, type Random } from './fill/random.ts';
import { generateGarbage, type GeneratedRequest, mutateRequest } from './api-fuzz/generate.ts';
import { watchRowChanges } from './api-fuzz/row-changes.ts';

const help = `bench/api-fuzz.ts [--count 100000] [--seed N] [--only TEXT]

Sends requests generated from the OpenAPI document to a new Parley with an embedded PostgreSQL: valid ones, nearly valid
ones and garbage, signed in and out. Fails when a response has status 500 or more, when a refused or read-only request
changed a row of any table, or when a refusal is not problem details. The same seed sends the same requests; --only
selects the operations whose name, such as 'PUT /answers/{id}', contains the text.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
  },
});

/** Mutations per valid request. */
const fromOne = 100;

if (values.help) console.log(help);
else process.exitCode = await withTemporaryDirectory(main);

async function main(directory: string): Promise<number> {
  const data = path.join(directory, 'data');
  const provider = await startOidcProvider();
  // Fixes the port: the provider redirects browsers to an address that Parley must know before it listens.
  const port = String(await findFreePort());
  const { issuer, clientId, clientSecret, name } = provider.settings;
  const env = {
    PARLEY_DATA: data,
    RATE_LIMITS: 'off',
    SECRET: defaultSettings.secret,
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: name,
  };
  const work = async (address: string, parley: ParleyProcess) => {
    provider.registerClient(address);
    const connection = await findRunningConnection(data);
    if (connection === undefined) throw new Error('the PostgreSQL process was not found');
    const client = new pg.Client(connection);
    // The connection ends with the server, which reports errors itself.
    client.on('error', () => {});
    await client.connect();
    console.log(`Seed ${values.seed}`);
    const db = openDatabase({ connection, maxConnections: 2 });
    const failures = await run(address, client, db);
    await Promise.all([db.destroy(), client.end()]);
    const logged = listLogProblems(parley.output());
    if (logged !== '') console.log(`Log:\n${logged.slice(0, 5_000)}`);
    return failures === 0 && logged === '' ? 0 : 1;
  };
  try {
    return await withTemporaryParley({ env }, work);
  } finally {
    await provider.stop();
  }
}

/** Log lines that are warnings or errors. */
function listLogProblems(output: string): string {
  return output
    .split('\n')
    .filter((line) => /"level":[4-6]0|^(?!\{)\S/u.test(line))
    .join('\n');
}

async function run(address: string, client: pg.Client, db: Database): Promise<number> {
  const random = createRandom(Number(values.seed));
  const changes = await watchRowChanges(client);
  const people = await createCallers(address, db);
  const { body: document } = await people.visitor.get<Document>('/openapi.json');
  const operations = listOperations(document).filter(({ name }) => name.includes(values.only));
  const tally = new Map<string, number>();
  const failures: string[] = [];
  const start = performance.now();
  let sent = 0;
  while (sent < Number(values.count)) {
    const operation = random.of(operations);
    const right = await people.rightRequest(operation);
    await changes.forget();
    for (const request of requestsFor(operation, right, random)) {
      sent++;
      const sender = random.chance(0.15) ? people.visitor : people.bob;
      const before = sender.cookies;
      sender.cookies = new Map(before);
      const response = await send(sender, request);
      const changed = await changes.sinceThen();
      // Waits for the job that deletes the rest of an account.
      if (changed.includes('insert of account_deletion')) {
        await eventually(async () => (await client.query('select from account_deletion')).rowCount === 0);
        await changes.forget();
      }
      tally.set(
        `${request.kind} ${response.status}`,
        (tally.get(`${request.kind} ${response.status}`) ?? 0) + 1,
      );
      const wrong = wrongIn(response, request, changed);
      if (wrong !== null && failures.push(wrong) <= 20) console.log(wrong);
      if (sent % 10_000 === 0) console.log(`${sent} sent, ${failures.length} failed`);
    }
  }
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(
    `\n${sent} requests to ${operations.length} operations in ${seconds} s; ${failures.length} failed.`,
  );
  for (const [what, count] of [...tally].toSorted(([one], [other]) => one.localeCompare(other)))
    console.log(`${what.padEnd(24)} ${count}`);
  return failures.length;
}

/** The members who send requests. Bob is replaced by a new member when he has signed out or changed his password. */
async function createCallers(address: string, db: Database) {
  const [ann, first] = [await register(address, 'Ann'), await register(address, 'Bob')];
  const prepare = (operation: Operation, bob: Member) =>
    createValidRequests({ ann, bob, db })(operation, bob, bob);
  const people = {
    bob: first,
    visitor: visitorAt(first),
    async rightRequest(operation: Operation): Promise<ValidRequest> {
      for (let tries = 1; ; tries++) {
        const { status } = await people.bob.get('/settings');
        try {
          if (status !== 200) people.bob = await register(address, 'Bob');
          return await prepare(operation, people.bob);
        } catch (error) {
          if (tries === 10) throw error;
          // The next attempt registers a new Bob. A busy machine needs a moment.
          people.bob.cookies = new Map();
          if (String(error).includes('503')) await delay(3_000);
        }
      }
    },
  };
  return people;
}

function visitorAt(member: Member): ApiClient {
  const visitor = member.onServer(member.address);
  visitor.cookies = new Map();
  return visitor;
}

function* requestsFor(operation: Operation, right: ValidRequest, random: Random): Iterable<GeneratedRequest> {
  const { method } = operation;
  const bad = listInvalidRequests(operation, right);
  for (let made = 0; made < fromOne; made++) {
    if (made === fromOne / 2) yield { kind: 'right', method, path: right.path, sending: right };
    else if (random.chance(0.4) && bad.length > 0) {
      const { path: place, sending } = random.of(bad);
      yield { kind: 'nearly right', method, path: place, sending };
    } else if (random.chance(0.5)) yield mutateRequest(operation, right, random);
    else yield generateGarbage(operation, right, random);
  }
}

type Found = { status: number; type: string | null; error?: string; isShed?: boolean };

async function send(sender: ApiClient, { method, path: place, sending }: GeneratedRequest): Promise<Found> {
  try {
    const { status, headers, code } = await sender.send(method, place, sending);
    return { status, type: headers.get('content-type'), isShed: code === 'busy' };
  } catch (error) {
    return { status: 0, type: null, error: String(error) };
  }
}

function wrongIn(
  { status, type, error, isShed = false }: Found,
  request: GeneratedRequest,
  changed: string[],
): string | null {
  const text = `${request.kind}: ${request.method} ${request.path.slice(0, 200)} ${JSON.stringify(request.sending).slice(0, 300)}`;
  if (status === 0) return `no response (${error}) to ${text}`;
  // Load shedding on a busy machine is counted, but is no failure.
  if (status >= 500 && !isShed) return `${status} to ${text}`;
  // Dots in a path may lead out of the API.
  const isApi = new URL(`/api${request.path}`, 'http://parley').pathname.startsWith('/api/');
  if (isApi && status >= 400 && type !== 'application/problem+json')
    return `a ${status} of type ${type} to ${text}`;
  const reads = request.method === 'GET' || request.method === 'HEAD' || status >= 400;
  return reads && changed.length > 0 ? `${status} changed ${changed.join(', ')}: ${text}` : null;
}
