import type pg from 'pg';

/** Records the rows that changed since the last call. */
export type RowChanges = {
  /** Tables and operations, such as 'update of question'. Resets all rate limits. */
  sinceThen: () => Promise<string[]>;
  forget: () => Promise<void>;
};

/**
 * Makes PostgreSQL record every row that a transaction inserts, deletes or changes, within that transaction. Ignores
 * sessions, which any request may renew, rate limits, and rows that jobs write.
 */
export async function watchRowChanges(client: pg.Client): Promise<RowChanges> {
  await client.query(`
    create schema watched;
    grant usage on schema watched to public;
    create unlogged table watched.change (what text not null);
    grant all on watched.change to public;
    create function watched.note() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new is not distinct from old then return null; end if;
      -- The event of a security notification, as after a data export.
      if tg_table_name = 'event' and tg_op = 'INSERT' and to_jsonb(new) -> 'event' ->> 'kind' = 'account-changed' then
        return null;
      end if;
      insert into watched.change values (lower(tg_op) || ' of ' || tg_table_name);
      return null;
    end $$;
    do $$
    declare name text;
    begin
      for name in select table_name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'
          and table_name not in ('session', 'rate_limit', 'search_word', 'setting', 'email_link', 'security_event', 'used_nonce',
            'member_statistics_change', 'member_daily_statistics', 'member_statistics', 'tag_statistics_change', 'tag_weekly_statistics', 'tag_question_sort_key')
      loop
        execute format('create trigger watched after insert or update or delete on %I for each row execute function watched.note()', name);
      end loop;
    end $$;`);
  return {
    async sinceThen() {
      const results = await client.query<{ what: string }>(
        'delete from rate_limit; delete from watched.change returning what',
      );
      const [, changes] = results as unknown as pg.QueryResult<{ what: string }>[];
      return [...new Set(changes?.rows.map(({ what }) => what))];
    },
    async forget() {
      await client.query('delete from rate_limit; delete from watched.change');
    },
  };
}
