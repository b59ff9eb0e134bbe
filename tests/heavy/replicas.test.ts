import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventBatch, getLaterPosition, minPositionHeader, positionHeader } from '#shared/core/events.ts';
import { openDatabase } from '#server/core/database.ts';
import { checkReplicas } from '#server/operations/doctor-check-replicas.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { expectOk, type Member, register } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { type ParleyProcess, spawnParley } from '#tests/support/parley-process.ts';
import {
  findPostgresPrograms,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '#tests/support/replicated-postgres.ts';

const programs = findPostgresPrograms();
if (programs === undefined)
  console.error(
    'NOT RUN: streaming replicas, because PostgreSQL is not installed on the system (Debian: postgresql).',
  );

// All tests share one PostgreSQL, so their order matters: the last ones destroy the replica.
describe.skipIf(programs === undefined)('two nodes with a streaming replica', () => {
  let databases: ReplicatedPostgres;
  const nodes: ParleyProcess[] = [];
  let here: string;
  let there: string;
  let ada: Member;
  let ben: Member;

  beforeAll(async () => {
    databases = await startReplicatedPostgres(programs ?? '');
    here = await startNode().ready;
    there = await startNode().ready;
    ada = await register(here, 'Ada');
    ben = await register(there, 'Ben');
    for (const node of nodes) await node.waitForOutput(/Replica \S+ serves reads/);
  });
  afterAll(async () => {
    for (const node of nodes) node.signal('SIGTERM');
    await Promise.all(nodes.map((node) => node.ended));
    await databases?.remove();
  });

  test('read every uncached page from the replica, and only the session from the primary', async () => {
    const id = await ada.ask({ title: 'Which page is read where?', tags: ['pages'] });
    const answer = await ada.answer(id);
    const reply = await ada.replyToAnswer(answer.id);
    const pages = [
      ...['/answers', '/replies', '/revisions'].map((part) => `/questions/${id}${part}`),
      ...['/replies', '/revisions'].map((part) => `/answers/${answer.id}${part}`),
      `/replies/${reply.id}/revisions`,
      `/replies/${reply.id}/revisions/1`,
      ...['', '/questions', '/answers'].map((part) => `/members/${ada.id}${part}`),
      ...['', '/pages', '/pages/questions'].map((part) => `/tags${part}`),
      ...['', '/tags', '/questions', '/activity'].map((part) => `/following${part}`),
      ...['questions', 'answers', 'users'].map((kind) => `/search?q=which%20pgae&in=${kind}`),
    ];
    // While the replica lags for a moment, the primary serves pages.
    await eventually(async () => {
      const primary = parleyStatements(await databases.primary.readStatementLog()).length;
      const replica = parleyStatements(await databases.replica.readStatementLog()).length;
      for (const page of pages) expect([page, (await ada.get(page)).status]).toEqual([page, 200]);
      const checks = parleyStatements(await databases.primary.readStatementLog()).slice(primary);
      const readings = parleyStatements(await databases.replica.readStatementLog()).slice(replica);
      return readings.length >= pages.length && !checks.some((text) => /\bfrom (question|tag)\b/.test(text));
    });
  });

  test('show members their own writes immediately, on each node and in each browser, while the replica is paused', async () => {
    const otherBrowser = (await ada.signInElsewhere()).onServer(there);
    await whilePaused(async () => {
      const id = await ada.ask();
      expect((await ada.onServer(there).get(`/questions/${id}`)).status).toBe(200);
      expect((await otherBrowser.get(`/questions/${id}`)).status).toBe(200);
      for (const following of [true, false, true]) {
        await ada.put(`/questions/${id}/follow`, { following });
        const page = await ada.onServer(there).read(id);
        expect(page.question.following).toBe(following);
      }
    });
  });

  test('show a newly registered member their profile on the other node', async () => {
    await whilePaused(async () => {
      const cleo = await register(here, 'Cleo');
      expect((await cleo.onServer(there).get(`/members/${cleo.id}`)).status).toBe(200);
    });
  });

  test('show a question to a member who received its live event, while the replica is paused', async () => {
    const listener = await listen(ben);
    await whilePaused(async () => {
      const id = await ada.ask();
      const position = await listener.positionOf(id);
      const uninformed = await ben.get(`/questions/${id}`);
      // Without the minimum position, a page may be a moment old. Its position says from where to replay events.
      const from = uninformed.headers.get(positionHeader) ?? '';
      expect(uninformed.status === 200 || getLaterPosition(from, position) !== from).toBe(true);
      const informed = await ben.send('GET', `/questions/${id}`, {
        headers: { [minPositionHeader]: position },
      });
      expect(informed.status).toBe(200);
    });
    listener.stop();
  });

  test('exclude a paused replica, and show every member the writes of others', async () => {
    await whilePaused(async () => {
      const id = await ada.ask();
      await waitForReplicaLog(/is not used: it lags by \d\.\d s/, async () => {
        await eventually(async () => (await newest(ben)) === id);
      });
      const next = await ada.ask();
      await eventually(async () => (await newest(ben)) === next);
      expect(await newest(ada)).toBe(next);
    });
    await waitForReplicaLog(/serves reads/);
  });

  test('exclude a replica that lags by 10 seconds until it has caught up', async () => {
    await databases.replica.sql(`alter system set recovery_min_apply_delay = '10s'`);
    await waitForReplicaLog(/is not used/, () => databases.replica.sql('select pg_reload_conf()'));
    const id = await ada.ask();
    // Far sooner than in 10 seconds: the stream of events invalidates the caches of the node.
    await eventually(async () => (await newest(ben)) === id);
    await databases.replica.sql('alter system reset recovery_min_apply_delay');
    await waitForReplicaLog(/serves reads/, () => databases.replica.sql('select pg_reload_conf()'));
    expect(await newest(ben)).toBe(id);
  });

  test.each([
    ['is stopped', () => databases.replica.stop('SIGINT'), () => databases.replica.start()],
    ['crashes', () => databases.replica.stop('SIGQUIT'), () => databases.replica.start()],
    ['hangs', () => databases.replica.freeze(), () => databases.replica.resume()],
  ])(
    'fail no request while the replica %s under load, and use it again afterwards',
    async (_, stop, start) => {
      const id = await ada.ask();
      const load = startLoad(id);
      await load.requests(50);
      await waitForReplicaLog(/is not used/, stop);
      await load.requests(50);
      const idle = parleyStatements(await databases.replica.readStatementLog()).length;
      await waitForReplicaLog(/serves reads/, start);
      await eventually(
        async () => parleyStatements(await databases.replica.readStatementLog()).length > idle,
      );
      await load.requests(50);
      expect(await load.stop()).toEqual([]);
    },
  );

  test('report a replica as up to date in parley doctor only after it replayed what the primary wrote', async () => {
    const { primary, replica } = databases;
    const check = async (on: pg.ClientConfig = { connectionString: primary.url }) => {
      const db = openDatabase({ connection: on, maxConnections: 1 });
      const findings = await checkReplicas([replica.url], db);
      await db.destroy();
      return findings.map(({ level, what }) => `${level}: ${what.replace(replica.url, 'URL')}`);
    };
    expect(await check()).toEqual(['ok: URL is up to date.']);

    await whilePaused(async () => {
      await ada.ask();
      expect(await check()).toEqual(['warning: URL lags by more than 2 s.']);
    });

    const [row] = await replica.sql('show primary_conninfo');
    const connect = async (target: unknown) => {
      await replica.sql(`alter system set primary_conninfo = ${pg.escapeLiteral(String(target))}`);
      await replica.sql('select pg_reload_conf()');
    };
    await connect('host=127.0.0.1 port=1');
    await eventually(async () => (await replica.sql('select from pg_stat_wal_receiver')).length === 0);
    await ada.ask();
    expect(await check()).toEqual(['warning: URL lags and is not connected to the primary.']);
    await waitForReplicaLog(/serves reads/, () => connect(row?.['primary_conninfo']));
    expect(await check()).toEqual(['ok: URL is up to date.']);

    const other = await createTestDatabase();
    expect(await check(other.connection)).toEqual(['problem: URL replicates another database server.']);
    await other.drop();
  });

  test('report each replica to Prometheus, by its address without a password', async () => {
    const headers = { authorization: `Bearer ${metricsToken}` };
    const text = await (await fetch(`${here}/metrics`, { headers })).text();
    expect(text).toContain(`parley_replica_healthy{replica="${databases.replica.url}"} 1\n`);
    expect(text).toMatch(/^parley_replica_lag_seconds\{replica="[^"]+"\} \d/m);
  });

  test('exclude a promoted replica under load, and show correct pages', async () => {
    const id = await ada.ask();
    const load = startLoad(id);
    await load.requests(50);
    await waitForReplicaLog(/is not used: it is not a standby/, () =>
      databases.replica.sql('select pg_promote()'),
    );
    // From here on, its data differs from the primary's.
    await databases.replica.sql(`update question set title = 'An edit on the promoted replica'`);
    const next = await ada.ask({ title: 'An edit on the primary' });
    for (const member of [ada, ben, ada.onServer(there), ben.onServer(here)]) {
      await eventually(async () => (await newest(member)) === next);
      const { items } = await member.feed('recent');
      expect(items[0]).toMatchObject({ id: next, title: 'An edit on the primary' });
      expect(items.map((item) => item.title)).not.toContain('An edit on the promoted replica');
    }
    expect(await load.stop()).toEqual([]);
  });

  test('start without waiting for an unreachable replica, and log no password', async () => {
    const node = startNode('postgres://parley:hunter2@127.0.0.1:1/postgres?password=hunter2');
    const address = await node.ready;
    expect(node.output()).toMatch(
      /Replica postgres:\/\/parley@127\.0\.0\.1:1\/postgres is not used: it does not respond/,
    );
    expect(node.output()).not.toContain('hunter2');
    expect((await ada.onServer(address).get('/feeds/recent')).status).toBe(200);
  });

  function startNode(replica = databases.replica.url): ParleyProcess {
    const node = spawnParley({
      env: {
        DATABASE_URL: databases.primary.url,
        DATABASE_REPLICA_URLS: replica,
        METRICS_TOKEN: metricsToken,
        // The load reads faster than one member may.
        RATE_LIMITS: 'off',
      },
    });
    nodes.push(node);
    return node;
  }

  /** Pauses replay: the replica receives changes and applies none. */
  async function whilePaused(work: () => Promise<void>): Promise<void> {
    await waitForReplicaLog(/serves reads/);
    await databases.replica.sql('select pg_wal_replay_pause()');
    await eventually(async () => {
      const [row] = await databases.replica.sql('select pg_get_wal_replay_pause_state() as state');
      return row?.['state'] === 'paused';
    });
    try {
      await work();
    } finally {
      await databases.replica.sql('select pg_wal_replay_resume()');
    }
  }

  /** Waits until the last line of each node about its replica matches. */
  async function waitForReplicaLog(pattern: RegExp, work?: () => Promise<unknown>): Promise<void> {
    const last = (node: ParleyProcess) =>
      node
        .output()
        .match(/Replica \S+ (?:serves|is not used).*/g)
        ?.at(-1);
    await work?.();
    await eventually(() => nodes.every((node) => pattern.test(last(node) ?? '')));
  }

  async function newest(member: Member): Promise<number | undefined> {
    return (await member.feed('recent')).items[0]?.id;
  }

  /** Members read on both nodes, and check that a follow set on one node shows on the other. */
  function startLoad(id: number) {
    const failures: string[] = [];
    let count = 0;
    const stopping = new AbortController();
    const { signal } = stopping;
    const readers = [ada, ben, ada.onServer(there), ben.onServer(here)].map(async (member) => {
      while (!signal.aborted) await attempt(() => member.get('/feeds/recent').then(expectOk));
    });
    const writers = [ada, ben].map(async (member) => {
      for (let following = true; !signal.aborted; following = !following)
        await attempt(async () => {
          expectOk(await member.put(`/questions/${id}/follow`, { following }));
          const other = member.onServer(member.address === here ? there : here);
          const { question } = await other.read(id);
          if (question.following !== following) throw new Error('a member does not see their own write');
        });
    });
    return {
      /** Waits until `more` further requests have ended. */
      async requests(more: number) {
        const enough = count + more;
        await eventually(() => count >= enough);
      },
      async stop() {
        stopping.abort();
        await Promise.all([...readers, ...writers]);
        return failures;
      },
    };

    async function attempt(work: () => Promise<unknown>): Promise<void> {
      const begin = performance.now();
      await work().catch((error: unknown) => void failures.push(String(error)));
      if (performance.now() - begin > patience) failures.push('a request timed out');
      count++;
      await delay(50);
    }
  }
});

const metricsToken = 'a-token-that-only-this-test-knows';

/** Milliseconds after which a request counts as hanging. */
const patience = 10_000;

/** Statements of the nodes' pools, from a log whose entries start with the application name. */
function parleyStatements(log: string): string[] {
  return log.split(/^(?=[\w ]*: LOG: )/m).filter((entry) => entry.startsWith('parley: '));
}

/** Listens to live questions, as the home page does. */
async function listen(member: Member) {
  const cookie = [...member.cookies].map((pair) => pair.join('=')).join('; ');
  const socket: Socket = io(member.address, {
    path: '/api/live',
    transports: ['websocket'],
    extraHeaders: { cookie },
    forceNew: true,
  });
  const batches: EventBatch[] = [];
  socket.on('events', (batch: EventBatch) => batches.push(batch));
  const since = (await member.get('/feeds/recent')).headers.get(positionHeader) ?? '';
  await socket.timeout(10_000).emitWithAck('subscribe', { topic: 'feeds', since });
  return {
    async positionOf(questionId: number): Promise<string> {
      const describeEvents = (batch: EventBatch) =>
        batch.events.some((event) => event.kind === 'question-posted' && event.questionId === questionId);
      await eventually(() => batches.some(describeEvents));
      return batches.find(describeEvents)?.position ?? '';
    },
    stop: () => socket.disconnect(),
  };
}
