import { type RawBuilder, sql } from 'kysely';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, transaction } from '#server/platform/database.ts';
import type { JobKind } from '#server/platform/jobs/jobs.ts';

/** How many posts are the best known and the known ones, and from how many on it pays to tell them apart. */
type Sizes = { least: number; best: number; known: number };
type Sql = RawBuilder<unknown>;

const posts: readonly { table: 'question' | 'answer'; sizes: Sizes; ranked: Sql }[] = [
  {
    table: 'question',
    sizes: { least: 20_000, best: 2_000, known: 40_000 },
    ranked: sql`select question_id as id from question_sort_key order by upvotes desc, question_id desc`,
  },
  {
    table: 'answer',
    sizes: { least: 50_000, best: 5_000, known: 100_000 },
    ranked: sql`select answer_id as id from answer_score order by score desc, answer_id desc`,
  },
];

/** Posts that move in one transaction, and in one round: each is written into the indexes of search again. */
const moved = { atOnce: 500, most: 10_000 } as const;

/** Posts of each kind from which is learnt how often words are used. */
const sampled = 5_000;

/** An hour after it was last done, in milliseconds. */
const every = 60 * 60_000;
const doneAt = 'search-known-at';

/** Keeps what search knows of the community: which posts are known best, and how often words are used. */
export function knownJob(db: Database): JobKind {
  return {
    name: 'search-known',
    retries: { limit: 0, seconds: 1, most: 1 },
    seconds: 900,
    atOnce: 1,
    everyMinute: true,
    async work() {
      if (!(await isDue(db))) return;
      const whole = await knowBest(db);
      await learnUses(db);
      if (whole) await setDone(db);
    },
  };
}

/** Returns whether all is as it should be; where much has changed, another round is needed. */
export async function knowBest(db: Database, sizes?: Sizes): Promise<boolean> {
  let whole = true;
  for (const each of posts) {
    const changes = await changesOf(db, { ...each, sizes: sizes ?? each.sizes });
    const now = changes.slice(0, moved.most);
    for (let from = 0; from < now.length; from += moved.atOnce)
      await move(db, each.table, now.slice(from, from + moved.atOnce));
    whole &&= now.length === changes.length;
  }
  return whole;
}

type Change = { id: number; popularity: number };

async function changesOf(
  db: Database,
  { table, sizes, ranked }: { table: string; sizes: Sizes; ranked: Sql },
): Promise<Change[]> {
  const known = sql`select id, popularity from ${sql.table(table)} where popularity <= 1`;
  const { rows } = await sql<Change>`
    with enough as materialized (select count(*) >= ${sizes.least} as yes from (${ranked} limit ${sizes.least}) ranked),
    wanted as materialized (
      select id, case when row_number() over () <= ${sizes.best} then 0 else 1 end as popularity
      from (${ranked} limit ${sizes.known}) ranked, enough where yes
    )
    select coalesce(wanted.id, known.id) as id, coalesce(wanted.popularity, 2) as popularity
    from wanted full join (${known}) known on known.id = wanted.id
    where wanted.popularity is distinct from known.popularity
    order by 1`.execute(db);
  return rows;
}

/** Posts that somebody writes at this moment are left to the next round. */
async function move(db: Database, table: string, changes: readonly Change[]): Promise<void> {
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

/** Learns from some of the posts how often words are used; from all, where no word is known yet. */
export async function learnUses(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    // Reading a million posts takes longer than any request may.
    await sql`set local statement_timeout = 0`.execute(tx);
    const { rows } = await sql<{ sample: string; none: boolean }>`
      select not exists (select from search_word) as none`.execute(tx);
    const of = (table: string, text: string) => sql`
      select word, ndoc from ts_stat(${`select search_words(${text}) from ${table}`} || coalesce((
        select format(' tablesample system (%s)', greatest(0.01, 100.0 * ${sampled} / reltuples))
        from pg_class where oid = ${table}::regclass and reltuples > ${sampled} and not ${rows[0]?.none === true}
      ), ''))`;
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
  });
}

async function isDue(db: Database): Promise<boolean> {
  const { rows } = await sql<{ value: string }>`select value from setting where name = ${doneAt}`.execute(db);
  const at = rows[0]?.value;
  return at === undefined || databaseTime() - Date.parse(at) > every;
}

async function setDone(db: Database): Promise<void> {
  await sql`
    insert into setting (name, value) values (${doneAt}, ${new Date(databaseTime()).toISOString()})
    on conflict (name) do update set value = excluded.value`.execute(db);
}
