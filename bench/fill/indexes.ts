import pg from 'pg';

/** The definition, as SQL, of an index or constraint that is dropped before a load and recreated after it. */
export type DroppedDefinition = {
  table: string;
  name: string;
  kind: 'index' | 'key' | 'foreign key';
  /** For an index or a key: creates the index. For a foreign key: its definition. */
  definition: string;
  /** For a key: PRIMARY KEY or UNIQUE. */
  key: string;
};

/**
 * Drops the indexes and keys of these tables and all foreign keys, since creating them in bulk is faster than
 * maintaining them row by row. Triggers are disabled until `recreateIndexes`.
 */
export async function dropIndexes(
  client: pg.Client,
  tables: readonly string[],
): Promise<DroppedDefinition[]> {
  const taken = await describe(client, tables);
  for (const { table, name } of ofKind(taken, 'foreign key')) await drop(client, table, name);
  for (const { table, name } of ofKind(taken, 'key')) await drop(client, table, name);
  for (const { name } of ofKind(taken, 'index')) await client.query(`drop index ${name}`);
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  return taken;
}

const ofKind = (taken: readonly DroppedDefinition[], kind: DroppedDefinition['kind']) =>
  taken.filter((each) => each.kind === kind);

function drop(client: pg.Client, table: string, name: string): Promise<unknown> {
  return client.query(`alter table ${table} drop constraint ${name}`);
}

async function describe(client: pg.Client, tables: readonly string[]): Promise<DroppedDefinition[]> {
  const { rows } = await client.query<DroppedDefinition>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, 'foreign key' as kind,
       pg_get_constraintdef(oid) as definition, '' as key
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
     union all
     select indrelid::regclass::text, indexrelid::regclass::text, case when con.oid is null then 'index' else 'key' end,
       pg_get_indexdef(indexrelid), case con.contype when 'p' then 'primary key' when 'u' then 'unique' else '' end
     from pg_index left join pg_constraint con on con.conindid = indexrelid and con.contype in ('p', 'u')
     where indrelid = any ($1::regclass[])`,
    [tables],
  );
  return rows;
}

/** Recreates all definitions, two at a time, the slow ones first; foreign keys are validated against every row. */
export async function recreateIndexes(
  connection: pg.ClientConfig,
  {
    taken,
    tables,
    log,
  }: { taken: readonly DroppedDefinition[]; tables: readonly string[]; log: (done: string) => void },
): Promise<void> {
  await twoAtATime(connection, slowFirst(taken), async (client, { kind, definition, name }) => {
    if (kind === 'foreign key') return;
    await client.query(definition);
    log(name);
  });
  const [client] = await connectAll(connection, 1);
  if (client === undefined) return;
  try {
    for (const { table, name, key } of ofKind(taken, 'key'))
      await client.query(`alter table ${table} add constraint ${name} ${key} using index ${name}`);
    for (const table of tables) await client.query(`analyze ${table}`);
    for (const { table, name, definition } of ofKind(taken, 'foreign key')) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
      log(name);
    }
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
  } finally {
    await client.end();
  }
}

/** Text search and trigram indexes take by far the longest. */
function slowFirst(taken: readonly DroppedDefinition[]): DroppedDefinition[] {
  const cost = ({ definition }: DroppedDefinition) =>
    Number(/using gin/i.test(definition)) + Number(/content/.test(definition));
  return taken.toSorted((one, other) => cost(other) - cost(one));
}

async function twoAtATime<Item>(
  connection: pg.ClientConfig,
  items: readonly Item[],
  work: (client: pg.Client, item: Item) => Promise<void>,
): Promise<void> {
  const clients = await connectAll(connection, 2);
  const waiting = [...items];
  try {
    await Promise.all(
      clients.map(async (client) => {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(client, item);
      }),
    );
  } finally {
    for (const client of clients) await client.end();
  }
}

async function connectAll(connection: pg.ClientConfig, count: number): Promise<pg.Client[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client(connection);
      await client.connect();
      client.on('error', () => {});
      await client.query(
        `set statement_timeout = 0; set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 0;
         set work_mem = '256MB'`,
      );
      return client;
    }),
  );
}
