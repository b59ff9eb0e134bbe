import { appendFileSync } from 'node:fs';
import pg from 'pg';
import type { Statement } from './statement.ts';

/**
 * Preloaded into a server: writes each statement sent to PostgreSQL to the file PARLEY_RECORD, one JSON object per
 * line.
 */
const file = process.env['PARLEY_RECORD'];
if (file !== undefined) {
  const query = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query')
    ?.value as typeof pg.Client.prototype.query;
  pg.Client.prototype.query = function recorded(this: pg.Client, ...given: unknown[]) {
    const [what, values] = given;
    const {
      text,
      values: own,
      name,
    } = (typeof what === 'object' && what !== null ? what : { text: what }) as Partial<Statement>;
    if (typeof text === 'string') {
      const listed = Array.isArray(values) ? values : (own ?? []);
      appendFileSync(
        file,
        `${JSON.stringify({ text, values: listed, ...(name !== undefined && { name }) })}\n`,
      );
    }
    return Reflect.apply(query, this, given);
  } as typeof query;
}
