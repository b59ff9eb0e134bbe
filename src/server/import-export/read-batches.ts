import type { ClientBase, QueryResultRow } from 'pg';

/** Reads the rows of a query in batches, so that few are in memory. One query at a time, in a transaction. */
export async function* readBatches<Row extends QueryResultRow>(
  client: ClientBase,
  sql: string,
  size: number,
): AsyncGenerator<Row[]> {
  await client.query(`declare batch no scroll cursor for ${sql}`);
  try {
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${size} from batch`);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    // In a transaction that failed, the cursor is closed.
    await client.query('close batch').catch(() => {});
  }
}
