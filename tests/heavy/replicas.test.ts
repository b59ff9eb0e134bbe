import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventBatch, getLaterPosition, minPositionHeader, positionHeader } from '#shared/core/events.ts';
import type { QuestionCards, QuestionPage } from '#shared/posts/questions.ts';
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
    'NOT TRIED: streaming replicas, for want of a PostgreSQL of the system (Debian: postgresql).',
  );

// One PostgreSQL for all, so the order matters: the last ones end the replica for good.
describe.skipIf(programs === undefined)('with a streaming replica and two nodes', () => {
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
    for (const node of nodes) await node.waitForOutput(/The replica \S+ serves reads/);
  });
  afterAll(async () => {
    for (const node of nodes) node.signal('SIGTERM');
    await Promise.all(nodes.map((node) => node.ended));
    await databases?.remove();
  });

  test('every page that is not kept in memory is read from the replica, and the primary only says who asks', async () => {
    const id = await ada.ask({ title: 'Which page is read where?', tags: ['pages'] });
    const answer = await ada.answer(id);
    const reply = await ada.replyToAnswer(answer.id);
    const pages = [
      ...['/answers', '/replies', '/revisions'].map((part) => `/questions/${id}${part}`),
      ...['/replies', '/revisions'].map((part) => `/answers/${answer.id}${part}`),
      `/replies/${reply.id}/revisions`,
      `/replies/${reply.id}/revisions/1`,
      ...['', '/questions', '/answers'].map((part) => `/members/${ada.id}${part}`),
      ...['', '/pages', '/pages/questions'].map((part) => `/topics${part}`),
      ...['', '/topics', '/questions', '/activity'].map((part) => `/following${part}`),
      ...['questions', 'answers', 'users'].map((kind) => `/search?q=which%20pgae&in=${kind}`),
    ];
    // A replica that is a moment behind leaves a page to the primary; soon it is not.
    await eventually(async () => {
      const primary = parleyStatements(await databases.primary.readStatementLog()).length;
      const replica = parleyStatements(await databases.replica.readStatementLog()).length;
      for (const page of pages) expect([page, (await ada.get(page)).status]).toEqual([page, 200]);
      const checks = parleyStatements(await databases.primary.readStatementLog()).slice(primary);
      const readings = parleyStatements(await databases.replica.readStatementLog()).slice(replica);
      return readings.length >= pages.length && !checks.some((text) => /\bfrom (question|tag)\b/.test(text));
    });
  });

  test('a member sees what they wrote at once, on each node and in each browser, though the replica stands still', async () => {
    const otherBrowser = (await ada.signInElsewhere()).onServer(there);
    await standingStill(async () => {
      const id = await ada.ask();
      expect((await ada.onServer(there).get(`/questions/${id}`)).status).toBe(200);
      expect((await otherBrowser.get(`/questions/${id}`)).status).toBe(200);
      for (const following of [true, false, true]) {
        await ada.put(`/questions/${id}/follow`, { following });
        const page = expectOk(await ada.onServer(there).get<QuestionPage>(`/questions/${id}`));
        expect(page.question.following).toBe(following);
      }
    });
  });

  test('who has registered just now finds their own page on the other node', async () => {
    await standingStill(async () => {
      const cleo = await register(here, 'Cleo');
      expect((await cleo.onServer(there).get(`/members/${cleo.id}`)).status).toBe(200);
    });
  });

  test('who is told of a question live can open it at once, though the replica stands still', async () => {
    const told = await listen(ben);
    await standingStill(async () => {
      const id = await ada.ask();
      const position = await told.positionOf(id);
      const uninformed = await ben.get(`/questions/${id}`);
      // Who does not say so gets a page that may be a moment old, and is told from where on to listen.
      const from = uninformed.headers.get(positionHeader) ?? '';
      expect(uninformed.status === 200 || getLaterPosition(from, position) !== from).toBe(true);
      const informed = await ben.send('GET', `/questions/${id}`, {
        headers: { [minPositionHeader]: position },
      });
      expect(informed.status).toBe(200);
    });
    told.stop();
  });

  test('a replica that stands still is left out, and everyone sees what others do', async () => {
    await standingStill(async () => {
      const id = await ada.ask();
      await everyNodeSays(/is left out: it lags by \d\.\d s/, async () => {
        await eventually(async () => (await newest(ben)) === id);
      });
      const next = await ada.ask();
      await eventually(async () => (await newest(ben)) === next);
      expect(await newest(ada)).toBe(next);
    });
    await everyNodeSays(/serves reads/);
  });

  test('a replica that lags by 10 seconds is left out until it has caught up', async () => {
    await databases.replica.sql(`alter system set recovery_min_apply_delay = '10s'`);
    await everyNodeSays(/is left out/, () => databases.replica.sql('select pg_reload_conf()'));
    const id = await ada.ask();
    // Far sooner than in 10 seconds: what a node keeps is as old as its stream of events.
    await eventually(async () => (await newest(ben)) === id);
    await databases.replica.sql('alter system reset recovery_min_apply_delay');
    await everyNodeSays(/serves reads/, () => databases.replica.sql('select pg_reload_conf()'));
    expect(await newest(ben)).toBe(id);
  });

  test.each([
    ['is stopped', () => databases.replica.stop('SIGINT'), () => databases.replica.start()],
    ['breaks off', () => databases.replica.stop('SIGQUIT'), () => databases.replica.start()],
    ['hangs', () => databases.replica.freeze(), () => databases.replica.resume()],
  ])(
    'no request fails while the replica %s under load; afterwards it serves again',
    async (_, stop, start) => {
      const id = await ada.ask();
      const load = startLoad(id);
      await load.requests(50);
      await everyNodeSays(/is left out/, stop);
      await load.requests(50);
      const idle = parleyStatements(await databases.replica.readStatementLog()).length;
      await everyNodeSays(/serves reads/, start);
      await eventually(
        async () => parleyStatements(await databases.replica.readStatementLog()).length > idle,
      );
      await load.requests(50);
      expect(await load.stop()).toEqual([]);
    },
  );

  test('Prometheus is told of each replica, by its address without a password', async () => {
    const headers = { authorization: `Bearer ${metricsToken}` };
    const text = await (await fetch(`${here}/metrics`, { headers })).text();
    expect(text).toContain(`parley_replica_serves{replica="${databases.replica.url}"} 1\n`);
    expect(text).toMatch(/^parley_replica_lag_seconds\{replica="[^"]+"\} \d/m);
  });

  test('a replica that was promoted is left out under load, and pages stay right', async () => {
    const id = await ada.ask();
    const load = startLoad(id);
    await load.requests(50);
    await everyNodeSays(/is left out: it is no standby/, () => databases.replica.sql('select pg_promote()'));
    // Now it goes its own way.
    await databases.replica.sql(`update question set title = 'Not what anybody asked'`);
    const next = await ada.ask({ title: 'What everybody asked' });
    for (const member of [ada, ben, ada.onServer(there), ben.onServer(here)]) {
      await eventually(async () => (await newest(member)) === next);
      const { items } = expectOk(await member.get<QuestionCards>('/feeds/recent'));
      expect(items[0]).toMatchObject({ id: next, title: 'What everybody asked' });
      expect(items.map((item) => item.title)).not.toContain('Not what anybody asked');
    }
    expect(await load.stop()).toEqual([]);
  });

  test('a replica that cannot be reached does not hold up the start; the warning does not tell its password', async () => {
    const node = startNode('postgres://parley:hunter2@127.0.0.1:1/postgres?password=hunter2');
    const address = await node.ready;
    expect(node.output()).toMatch(
      /The replica postgres:\/\/parley@127\.0\.0\.1:1\/postgres is left out: it does not answer/,
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
      },
    });
    nodes.push(node);
    return node;
  }

  /** The replica gets everything and shows nothing of it. */
  async function standingStill(work: () => Promise<void>): Promise<void> {
    await everyNodeSays(/serves reads/);
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

  /** Waits until the last that each node says of its replica is that. */
  async function everyNodeSays(pattern: RegExp, work?: () => Promise<unknown>): Promise<void> {
    const last = (node: ParleyProcess) =>
      node
        .output()
        .match(/The replica \S+ (?:serves|is left).*/g)
        ?.at(-1);
    await work?.();
    await eventually(() => nodes.every((node) => pattern.test(last(node) ?? '')));
  }

  async function newest(member: Member): Promise<number | undefined> {
    return expectOk(await member.get<QuestionCards>('/feeds/recent')).items[0]?.id;
  }

  /** Members who read on both nodes, and check that what they set on one is so on the other. */
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
          const { question } = expectOk(await other.get<QuestionPage>(`/questions/${id}`));
          if (question.following !== following) throw new Error('an own write is not seen');
        });
    });
    return {
      /** Waits for as many more. */
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
      if (performance.now() - begin > patience) failures.push('a request hung');
      count++;
      await delay(5);
    }
  }
});

const metricsToken = 'a-token-that-only-this-test-knows';

/** Milliseconds after which a member would think that nothing comes. */
const patience = 10_000;

/** What the nodes' pools asked, of a log that begins each entry with the name of the program. */
function parleyStatements(log: string): string[] {
  return log.split(/^(?=[\w ]*: LOG: )/m).filter((entry) => entry.startsWith('parley: '));
}

/** Hears of questions live, as the home page does. */
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
      const tellsOf = (batch: EventBatch) =>
        batch.events.some((event) => event.kind === 'question-posted' && event.questionId === questionId);
      await eventually(() => batches.some(tellsOf));
      return batches.find(tellsOf)?.position ?? '';
    },
    stop: () => socket.disconnect(),
  };
}
