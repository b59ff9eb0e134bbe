import { type RawBuilder, sql } from 'kysely';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, removeStatementTimeout, type Tx, transaction } from '#server/core/database.ts';
import type { JobDefinition } from '#server/core/job-queue.ts';
import { endLeftPendingLists } from './pending-lists.ts';

/** The number of posts that are marked as popular; none if there are fewer than `min` posts. */
type PopularitySizes = { min: number; popular: number };
type Sql = RawBuilder<unknown>;

const posts: readonly { table: 'question' | 'answer'; sizes: PopularitySizes; ranked: Sql }[] = [
  {
    table: 'question',
    sizes: { min: 20_000, popular: 5_000 },
    ranked: sql`select question_id as id from question_sort_key order by upvotes desc, question_id desc`,
  },
  {
    table: 'answer',
    sizes: { min: 50_000, popular: 10_000 },
    ranked: sql`select answer_id as id from answer_score order by score desc, answer_id desc`,
  },
];

/**
 * Posts that change in one transaction, and in one round. Each change updates the search indexes of the post.
 */
const batchSize = { perTransaction: 500, perRound: 10_000 } as const;

/** Posts of each kind that are sampled to estimate how often words are used. */
const sampleSize = 5_000;

/** Milliseconds between two updates. */
const intervalMs = 60 * 60_000;
const lastRunSetting = 'search-popularity-updated-at';

/**
 * Updates the data that search uses: the most popular posts, and how often words are used. Ends the pending lists of an
 * interrupted import.
 */
export function searchPopularityJob(db: Database): JobDefinition {
  return {
    name: 'search-popularity',
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 900,
    concurrency: 1,
    runsEvery: 'minute',
    async run() {
      if (!(await isDue(db))) return;
      const isComplete = await updatePopularity(db);
      await updateWordUses(db);
      await endLeftPendingLists(db);
      if (isComplete) await saveLastRun(db);
    },
  };
}

/** Returns whether all posts are marked rightly. If many changed, another round is needed. */
export async function updatePopularity(db: Database, sizes?: PopularitySizes): Promise<boolean> {
  let isComplete = true;
  for (const each of posts) {
    const changes = await listChanges(db, { ...each, sizes: sizes ?? each.sizes });
    const now = changes.slice(0, batchSize.perRound);
    for (let from = 0; from < now.length; from += batchSize.perTransaction)
      await applyChanges(db, each.table, now.slice(from, from + batchSize.perTransaction));
    isComplete &&= now.length === changes.length;
  }
  return isComplete;
}

type Change = { id: number; popularity: number };

async function listChanges(
  db: Database,
  { table, sizes, ranked }: { table: string; sizes: PopularitySizes; ranked: Sql },
): Promise<Change[]> {
  const stored = sql`select id, popularity from ${sql.table(table)} where popularity = 0`;
  const { rows } = await sql<Change>`
    with size as materialized (select count(*) >= ${sizes.min} as is_large from (${ranked} limit ${sizes.min}) ranked),
    wanted as materialized (
      select id, 0 as popularity
      from (${ranked} limit ${sizes.popular}) ranked, size where is_large
    )
    select coalesce(wanted.id, known.id) as id, coalesce(wanted.popularity, 2) as popularity
    from wanted full join (${stored}) known on known.id = wanted.id
    where wanted.popularity is distinct from known.popularity
    order by 1`.execute(db);
  return rows;
}

/** Skips posts that are locked by another transaction. The next round updates them. */
async function applyChanges(db: Database, table: string, changes: readonly Change[]): Promise<void> {
  const ids = changes.map(({ id }) => id);
  const popularities = changes.map(({ popularity }) => popularity);
  await transaction(db, (tx) =>
    sql`
      with free as materialized (
        select id from ${sql.table(table)} where id = any(${ids}::bigint[]) order by id for no key update skip locked
      )
      update ${sql.table(table)} post set popularity = wanted.popularity
      from unnest(${ids}::bigint[], ${popularities}::smallint[]) as wanted (id, popularity), free
      where post.id = wanted.id and free.id = post.id`.execute(tx),
  );
}

/** Estimates how often words are used from a sample of posts; from all posts if the vocabulary is empty. */
export async function updateWordUses(db: Database): Promise<void> {
  const update = async (tx: Tx) => {
    // Reading a million posts takes longer than the statement timeout of requests.
    await removeStatementTimeout(tx);
    const { rows } = await sql<{ sample: string; none: boolean }>`
      select not exists (select from search_word) as none`.execute(tx);
    const of = (table: string, text: string) => sql`
      select word, ndoc from ts_stat(${`select search_words(${text}) from base_${table}`} || coalesce((
        select format(' tablesample system (%s)', greatest(0.01, 100.0 * ${sampleSize} / reltuples))
        from pg_class where oid = ${`base_${table}`}::regclass and reltuples > ${sampleSize} and not ${rows[0]?.none === true}
      ), '') || ' where hidden_by is null')`;
    await sql`
      with counted as materialized (
        select word, sum(ndoc) as uses from (
          ${of('question', `title || ' ' || tag_text || ' ' || content`)} union all ${of('answer', 'content')}
        ) found
        where char_length(word) between 3 and 200 group by word
      ), learnt as (
        insert into search_word (word, uses)
        select word, uses from counted where not exists (select from search_word known where known.word = counted.word)
      )
      -- What is used about as often keeps its row: the order of words is all that counts.
      update search_word known set uses = counted.uses from counted
      where known.word = counted.word and (known.uses < counted.uses / 2 or known.uses > counted.uses * 2)
    `.execute(tx);
  };
  // A short wait for a lock would repeat all of it.
  await transaction(db, update, { lockTimeoutMs: 0 });
}

async function isDue(db: Database): Promise<boolean> {
  const { rows } = await sql<{
    value: string;
  }>`select value from setting where name = ${lastRunSetting}`.execute(db);
  const at = rows[0]?.value;
  return at === undefined || databaseNowMs() - Date.parse(at) > intervalMs;
}

async function saveLastRun(db: Database): Promise<void> {
  await sql`
    insert into setting (name, value) values (${lastRunSetting}, ${new Date(databaseNowMs()).toISOString()})
    on conflict (name) do update set value = excluded.value`.execute(db);
}
