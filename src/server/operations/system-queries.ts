import { sql } from 'kysely';
import { nodeApplicationPrefix } from '#server/core/database-listen.ts';
import type { Database } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';

export type RunningSystem = {
  postgresql: string;
  /** Names of connections: the prefix, the version and the name of a node. */
  applications: string[];
};

/** Every node listens for events on one connection, whose name contains its version and its name. */
export async function readRunningSystem(db: Database): Promise<RunningSystem> {
  const { rows } = await sql<RunningSystem>`
    select current_setting('server_version') as postgresql,
      array(select distinct application_name from pg_stat_activity
        where datname = current_database() and starts_with(application_name, ${nodeApplicationPrefix})
        order by 1) as applications`.execute(db);
  return one(rows);
}
