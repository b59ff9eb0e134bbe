import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { ApiClient, expectOk, password, type ApiResponse } from '#tests/support/member.ts';
import { withTemporaryDirectory, withTemporaryParley } from '#tests/support/temporary-parley.ts';
import { limits } from '#shared/core/limits.ts';

const help = `bench/hostile-member.ts [--seconds 60] [--members 30] [--parallel 30] [--times 2]

Measures how much one hostile member slows down all others. Ordinary members (--members) read, vote, search and answer at
their own pace. For half of the time (--seconds) one more member sends --parallel concurrent requests that are allowed and
expensive: edits with texts that are slow to parse or full of new words, searches for quoted phrases, lists of versions.
Intervals without and with this member alternate, so that other load on the machine affects both equally. Prints the
ordinary members' response times per action, the ratio of their p99, and the responses to the hostile member. The exit
code is 1 if the p99 of all actions is more than --times higher with the hostile member, or if a response had status 500
or more. The clients run on the same machine.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    members: { type: 'string', default: '30' },
    parallel: { type: 'string', default: '30' },
    times: { type: 'string', default: '2' },
  },
});
const stretches = 6;
const stretchMs = (Number(values.seconds) * 1_000) / stretches;
const maxSlowdown = Number(values.times);
/** Mean time between two actions of an ordinary member, in milliseconds. */
const pauseMs = 800;

type Part = 'without' | 'with';
type Action = 'read' | 'vote' | 'search' | 'answer';
type Measurements = {
  times: Record<Action, Record<Part, number[]>>;
  statuses: Record<Part, Record<string, number>>;
};
type Community = {
  members: ApiClient[];
  hostile: ApiClient;
  questions: number[];
  answers: number[];
  own: number[];
};

const random = (most: number) => Math.floor(Math.random() * most);
const oneOf = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
const words =
  'bread dough oven crust yeast flour salt water rye wheat knead proof bake cool slice keep bag tin'.split(
    ' ',
  );
const commonLetters = ['e', 't', 'a', 'o', 'i', 'n'];
const randomText = (length: number) => Array.from({ length }, () => oneOf(words)).join(' ');
const newWords = () =>
  Array.from({ length: 4_000 }, () => random(2 ** 31).toString(36))
    .join(' ')
    .slice(0, limits.answer);
const nasty = ['a_', '~/', '<!--', './', 'a-a_', '字', 'a#'];

const turns: readonly Action[] = [
  ...Array.from({ length: 12 }, () => 'read' as const),
  ...Array.from({ length: 4 }, () => 'vote' as const),
  ...Array.from({ length: 3 }, () => 'search' as const),
  'answer',
];

const actions: Readonly<Record<Action, (member: ApiClient, community: Community) => Promise<ApiResponse>>> = {
  read: (member, { questions }) =>
    member.get(random(4) === 0 ? '/feeds/recent' : `/questions/${oneOf(questions)}`),
  vote: (member, { answers }) =>
    member.put(`/answers/${oneOf(answers)}/vote`, { vote: oneOf(['up', 'down', null]) }),
  search: (member) => member.get(`/search?q=${encodeURIComponent(randomText(1 + random(3)))}`),
  answer: (member, { questions }) =>
    member.post(`/questions/${oneOf(questions)}/answers`, { content: randomText(60) }),
};

/** Retries a request whose connection the server had just closed, as browsers do. */
async function retryOnReset(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (;;)
    try {
      return await send();
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (cause?.code !== 'ECONNRESET' && cause?.code !== 'UND_ERR_SOCKET') throw error;
    }
}

const count = (counts: Record<string, number>, takes: (key: string) => boolean) =>
  Object.entries(counts).reduce((total, [key, value]) => total + (takes(key) ? value : 0), 0);

if (process.send !== undefined) process.once('message', (task) => void runAttackTask(task as Task));
else if (values.help) console.log(help);
else process.exitCode = await withTemporaryDirectory(main);

function main(directory: string): Promise<number> {
  // Members come from different networks.
  const env = { PARLEY_DATA: path.join(directory, 'data'), TRUSTED_PROXIES: '1' };
  return withTemporaryParley({ env }, async (address) => {
    const community = await begin(address);
    const seen = empty();
    let part: Part | 'warming up' = 'warming up';
    const end = { reached: false };
    const ordinary = community.members.map((member) => live(member));
    await delay(Math.min(5_000, stretchMs));
    let hostile: Record<string, number> = {};
    for (let number = 0; number < stretches; number++) {
      part = number % 2 === 0 ? 'without' : 'with';
      if (part === 'without') await delay(stretchMs);
      else hostile = sum(hostile, await attackFromProcess(community, stretchMs));
    }
    end.reached = true;
    await Promise.all(ordinary);
    return report(seen, hostile);

    async function live(member: ApiClient): Promise<void> {
      while (!end.reached) {
        await delay(random(2 * pauseMs));
        const during = part;
        const action = oneOf(turns);
        const start = performance.now();
        const { status } = await retryOnReset(() => actions[action](member, community));
        if (during === 'warming up' || during !== part) continue;
        seen.times[action][during].push(performance.now() - start);
        add(seen.statuses[during], String(status));
      }
    }
  });
}

async function begin(address: string): Promise<Community> {
  const all: ApiClient[] = [];
  for (let number = 0; number <= Number(values.members); number++) {
    const caller = new ApiClient(address);
    const email = `member-${number}@example.org`;
    const headers = { 'x-forwarded-for': `10.${number}.0.1` };
    expectOk(
      await caller.send('POST', '/members', {
        body: { displayName: `Member ${number}`, email, password },
        headers,
      }),
    );
    all.push(caller);
  }
  const [hostile, ...members] = all as [ApiClient, ...ApiClient[]];
  const questions: number[] = [];
  const answers: number[] = [];
  for (let number = 0; number < 300; number++) {
    const member = members[number % members.length] as ApiClient;
    const draft = { title: `${randomText(8)} ${number}`, content: randomText(80), tags: [oneOf(words)] };
    const { id } = expectOk(await member.post<{ id: number }>('/questions', draft));
    questions.push(id);
    const other = members[(number + 1) % members.length] as ApiClient;
    answers.push(
      expectOk(await other.post<{ id: number }>(`/questions/${id}/answers`, { content: randomText(120) })).id,
    );
  }
  const own: number[] = [];
  for (let number = 0; number < 10; number++)
    own.push(
      expectOk(
        await hostile.post<{ id: number }>(`/questions/${questions[number]}/answers`, { content: 'So.' }),
      ).id,
    );
  return { members, hostile, questions, answers, own };
}

type Task = { address: string; cookies: [string, string][]; own: number[]; milliseconds: number };

/** Runs the attack in a separate process, so that its CPU time is not measured as the server's. */
async function attackFromProcess(
  { hostile, own }: Community,
  milliseconds: number,
): Promise<Record<string, number>> {
  const child = fork(import.meta.filename, process.argv.slice(2));
  const { address, cookies } = hostile;
  child.send({ address, cookies: [...cookies], own, milliseconds } satisfies Task);
  const [answered] = await once(child, 'message');
  return answered as Record<string, number>;
}

async function runAttackTask({ address, cookies, own, milliseconds }: Task): Promise<void> {
  const hostile = new ApiClient(address);
  hostile.cookies = new Map(cookies);
  process.send?.(await attack({ hostile, own }, milliseconds), () => process.exit());
}

/** Sends all allowed requests, and invalid ones, for `milliseconds`. Returns the number of responses by status. */
async function attack(
  { hostile, own }: Pick<Community, 'hostile' | 'own'>,
  milliseconds: number,
): Promise<Record<string, number>> {
  const end = performance.now() + milliseconds;
  const answered: Record<string, number> = {};
  const send = [
    () => {
      const content =
        random(3) === 0
          ? newWords()
          : oneOf(nasty)
              .repeat(limits.answer)
              .slice(0, limits.answer - 9);
      return hostile.put(`/answers/${oneOf(own)}`, { content: `${random(1e8)} ${content}` });
    },
    () =>
      hostile.get(
        `/search?q=${encodeURIComponent(Array.from({ length: 49 }, () => `"${oneOf(commonLetters)}"`).join(' '))}`,
      ),
    () => hostile.get(`/answers/${oneOf(own)}/revisions`),
    () => hostile.get(`/answers/${oneOf(own)}/revisions/1`),
    () =>
      hostile.post('/questions/similar', {
        title: randomText(20),
        content: newWords().slice(0, limits.details),
        tags: [],
      }),
  ];
  const sendOne = (kind: number) => (send[kind] ?? oneOf(send))();
  const kinds = ['edit', 'phrases', 'versions', 'version', 'similar'];
  await Promise.all(
    Array.from({ length: Number(values.parallel) }, async (_, number) => {
      const kind = number % send.length;
      while (performance.now() < end) {
        const { status, headers } = await retryOnReset(() => sendOne(kind));
        add(answered, `${kinds[kind]} ${status}`);
        // Retrying immediately would be stopped by the request limits (request-limits.ts); a short delay costs the
        // server more.
        if (status === 429) await delay(Math.min(250, 1_000 * Number(headers.get('retry-after') ?? 1)));
      }
    }),
  );
  return answered;
}

function report({ times, statuses }: Measurements, hostile: Record<string, number>): number {
  console.log(
    `${os.cpus().length} cores, load ${os.loadavg()[0]?.toFixed(1)}; ${values.members} members, ${values.seconds} s, half of them with one hostile member sending ${values.parallel} concurrent requests\n`,
  );
  console.log('| action | count | p50 without | with | p99 without | with | p99 ratio |');
  console.log('|---|---|---|---|---|---|---|');
  const everything: Record<Part, number[]> = { without: [], with: [] };
  for (const action of ['read', 'vote', 'search', 'answer'] as const) {
    everything.without.push(...times[action].without);
    everything.with.push(...times[action].with);
    row(action, times[action]);
  }
  const ratio = row('all', everything);
  const failed = Object.values(statuses).map((counts) => count(counts, (status) => status >= '5'));
  const refused = Object.values(statuses).map((counts) => count(counts, (status) => status === '429'));
  console.log(
    `\nOrdinary members: 5xx without ${failed[0]}, with ${failed[1]}; 429 without ${refused[0]}, with ${refused[1]}`,
  );
  console.log(
    `Responses to the hostile member: ${Object.entries(hostile)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map((each) => each.join(': '))
      .join(', ')}`,
  );
  const hostileFailed = count(hostile, (name) => / 5\d\d$/.test(name));
  const good = ratio <= maxSlowdown && (failed[0] ?? 0) + (failed[1] ?? 0) + hostileFailed === 0;
  console.log(
    good
      ? '\nWithin the limits.'
      : `\nNOT within the limits: p99 ratio ${ratio.toFixed(2)}, ${failed.join(' and ')} and ${hostileFailed} responses of 500 or more.`,
  );
  return good ? 0 : 1;
}

function row(name: string, of: Record<Part, number[]>): number {
  const at = (list: number[], share: number) =>
    list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * share)] ?? Number.NaN;
  const ratio = at(of.with, 0.99) / at(of.without, 0.99);
  const figures = [at(of.without, 0.5), at(of.with, 0.5), at(of.without, 0.99), at(of.with, 0.99)];
  console.log(
    `| ${name} | ${of.without.length} + ${of.with.length} | ${figures.map((value) => `${value.toFixed(0)} ms`).join(' | ')} | ${ratio.toFixed(2)} |`,
  );
  return ratio;
}

function empty(): Measurements {
  const none = () => ({ without: [], with: [] });
  return {
    times: { read: none(), vote: none(), search: none(), answer: none() },
    statuses: { without: {}, with: {} },
  };
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

function sum(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const counts = { ...one };
  for (const [key, value] of Object.entries(other)) counts[key] = (counts[key] ?? 0) + value;
  return counts;
}
