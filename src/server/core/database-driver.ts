import type { RawBuilder } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Runs independent queries of a transaction in this order. Returns the rows of each query under the given names.
 */
export async function runPipelined<Queries extends Readonly<Record<string, readonly RawBuilder<unknown>[]>>>(
  tx: Tx,
  queries: Queries,
): Promise<{ [Name in keyof Queries]: RowsOf<Queries[Name]> }> {
  const named: [string, unknown[][]][] = [];
  for (const [name, group] of Object.entries(queries)) {
    const rows: unknown[][] = [];
    for (const query of group) rows.push((await query.execute(tx)).rows);
    named.push([name, rows]);
  }
  return Object.fromEntries(named) as { [Name in keyof Queries]: RowsOf<Queries[Name]> };
}

type RowsOf<Queries> = Queries extends readonly RawBuilder<infer Row>[] ? Row[][] : never;
