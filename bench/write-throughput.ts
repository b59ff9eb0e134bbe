import { randomInt } from 'node:crypto';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { median } from './measure/results.ts';
import { getCpuTimeMs, getChildrenCpuTimeMs } from './process-usage.ts';
import { type Community, cookieOf, size, withCommunity } from './write-throughput/community.ts';
import { runLoad, type Request } from './write-throughput/load.ts';
import { runPgbench, scripts } from './write-throughput/pgbench.ts';

const help = `bench/write-throughput.ts [--clients 32] [--seconds 5] [--rounds 3] [--only <kind>,…]

Measures how many votes, views, answers and replies per second one Parley stores durably through its API, on an embedded
PostgreSQL with a small community and clients on the same machine, compared in the same run with pgbench executing the
same statements in one transaction each. Prints the median of the rounds for each kind.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    clients: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const clients = Number(values.clients);
const seconds = Number(values.seconds);

const member = () => 1 + randomInt(size.activeMembers);
const vote = (path: string): Request => ({
  method: 'PUT',
  path: `/api${path}/vote`,
  cookie: cookieOf(member()),
  body: JSON.stringify({ vote: randomInt(5) === 0 ? 'down' : 'up' }),
});
const answerTo = (question: number): Request => ({
  method: 'POST',
  path: `/api/questions/${question}/answers`,
  cookie: cookieOf(member()),
  body: JSON.stringify({
    content: `${randomInt(1e9)} Keep the dough in a cool place over night. `.repeat(6),
  }),
});
const view = (question: number): Request => ({
  method: 'PUT',
  path: `/api/questions/${question}/view`,
  cookie: cookieOf(member()),
});

/** `pgbench`: the script to compare with; `of`: the kind that the result is relative to. */
const kinds: Record<string, { next: () => Request; pgbench?: keyof typeof scripts; of?: string }> = {
  'votes spread': { next: () => vote(`/answers/${1 + randomInt(size.answers)}`), pgbench: 'vote' },
  'votes on one answer': { next: () => vote('/answers/1'), of: 'votes spread' },
  'votes on questions': { next: () => vote(`/questions/${1 + randomInt(size.questions)}`) },
  'views spread': { next: () => view(1 + randomInt(size.questions)), pgbench: 'view' },
  'views of one question': { next: () => view(1), of: 'views spread' },
  'answers spread': { next: () => answerTo(1 + randomInt(size.questions)), pgbench: 'answer' },
  'answers to one question': { next: () => answerTo(2), of: 'answers spread' },
};

if (values.help) console.log(help);
else await withCommunity(measure);

async function measure({ address, pid, embedded }: Community): Promise<void> {
  const chosen = values.only?.split(',');
  const counts = new Map<string, number>();
  for (const [name, kind] of Object.entries(kinds)) {
    if (chosen !== undefined && !chosen.some((part) => name.includes(part))) continue;
    const rounds = [];
    const compared: number[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      const before = [getCpuTimeMs(pid), getChildrenCpuTimeMs(embedded.pid)] as const;
      const figures = await runLoad(address, { clients, seconds, next: kind.next });
      rounds.push({
        ...figures,
        server: (getCpuTimeMs(pid) - before[0]) / figures.answered,
        database: (getChildrenCpuTimeMs(embedded.pid) - before[1]) / figures.answered,
      });
      if (kind.pgbench === undefined) continue;
      const connection = embedded.connection;
      compared.push(
        (await runPgbench(scripts[kind.pgbench], { connection, clients, seconds })) ?? Number.NaN,
      );
    }
    const perSecond = median(rounds.map((round) => round.perSecond));
    counts.set(name, perSecond);
    const [middle, p99] = [median(rounds.map((r) => r.median)), median(rounds.map((r) => r.p99))];
    const parts = [
      `${name.padEnd(24)} ${perSecond.toFixed(0).padStart(6)}/s`,
      `median ${middle.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${(p99 / middle).toFixed(1)} times)`,
    ];
    const [server, database] = [median(rounds.map((r) => r.server)), median(rounds.map((r) => r.database))];
    parts.push(`processor: ${server.toFixed(2)} ms Parley, ${database.toFixed(2)} ms PostgreSQL each`);
    if (kind.pgbench !== undefined)
      parts.push(`pgbench ${median(compared).toFixed(0)}/s (${(perSecond / median(compared)).toFixed(2)})`);
    const whole = kind.of === undefined ? undefined : counts.get(kind.of);
    if (whole !== undefined) parts.push(`${(perSecond / whole).toFixed(2)} of ${kind.of}`);
    const refused = rounds.flatMap((round) => Object.entries(round.refused));
    if (refused.length > 0) parts.push(`REFUSED ${JSON.stringify(refused)}`);
    console.log(parts.join('; '));
  }
  console.log(`${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}, ${clients} clients`);
}
