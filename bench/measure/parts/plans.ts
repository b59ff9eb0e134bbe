import { endpoints } from '../endpoints.ts';
import type { Part } from '../part.ts';
import { bufferIn, type Statement } from '../statement.ts';
import { isTransaction, startRecorder } from '../statement-recorder.ts';
import type { Community } from '../community.ts';

/** The plan of each statement of each page and action, in the large community. */
export const plans: Part = {
  name: 'plans',
  title: 'Query plans',
  description: 'the plan of every query of every page and action (EXPLAIN (ANALYZE, BUFFERS))',
  async run({ community, log }) {
    const large = await community('large');
    const recorder = await startRecorder(large.data, large);
    const lines: string[] = [];
    const rows: (string | number)[][] = [];
    try {
      for (const { name, requests } of await endpoints(large)) {
        const [request] = requests;
        if (request === undefined) continue;
        const statements = (await recorder.record(request)).filter(({ text }) => explained(text));
        log(`${name}: ${statements.length} statements`);
        rows.push([name, statements.length]);
        lines.push(`== ${name}: ${statements.length} statements`, '');
        for (const statement of statements) lines.push(...(await planOf(large, statement)), '');
      }
    } finally {
      await recorder.stop();
    }
    return { rows: [], plans: lines, table: { head: ['page or action', 'statements'], rows } };
  },
};

const explained = (text: string) =>
  !isTransaction(text) && /^\s*(\(|select|with|insert|update|delete)/iu.test(text);

async function planOf({ db }: Community, { text, values }: Statement): Promise<string[]> {
  const oneLine = text.replace(/\s+/gu, ' ').trim();
  await db.query('begin');
  try {
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers) ${text}`,
      values.map((value) => bufferIn(value) ?? value),
    );
    return [oneLine, ...rows.map((row) => `  ${withoutToken(row['QUERY PLAN'])}`)];
  } catch (error) {
    return [oneLine, `  not explained: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await db.query('rollback');
  }
}

/** The plans are published. */
const withoutToken = (line: string) => line.replace(/\btoken = '[^']*'/gu, "token = '…'");
