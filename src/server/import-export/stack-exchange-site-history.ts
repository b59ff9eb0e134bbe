import type { ClientBase } from 'pg';
import { literal } from './stack-exchange-queries.ts';
import { lockedReason, newerReason } from './stack-exchange-tally.ts';

/** Types of votes: a bounty that is offered for a question, and one that is awarded to an answer. */
export const bountyVotes = { offered: 8, awarded: 9 } as const;

/** The column that refers to a post, and the condition for rows of `archive_location location` that are such posts. */
type PostKindSql = readonly [column: string, isKind: string];
const posts: readonly PostKindSql[] = [
  ['question_id', 'location.answer_id is null'],
  ['answer_id', 'location.answer_id is not null'],
];

/**
 * Adds the marks of community wikis and the bounties of new posts; with `isRefresh`, those of existing posts become what
 * the archive has. Locked questions do not change. The table `archive_noted` has the existing posts that changed. Runs
 * after the posts are added. Returns the numbers for new posts.
 */
export async function applySiteHistory(
  client: ClientBase,
  { sourceId, isRefresh, hasVotes }: { sourceId: string; isRefresh: boolean; hasVotes: boolean },
): Promise<{ wikis: number; bounties: number }> {
  await createNotedTable(client);
  if (isRefresh) for (const post of posts) await findNoted(client, post, { sourceId, hasVotes });
  let [wikis, bounties] = [0, 0];
  for (const [column, isKind] of posts) {
    const where = `${isKind} and (location.is_new or location.key in (select key from archive_noted))`;
    const noted = `(select location.${column} from archive_noted join archive_location location using (key) where ${isKind})`;
    await client.query(`delete from imported_wiki where ${column} in ${noted}`);
    if (hasVotes) await client.query(`delete from imported_bounty where ${column} in ${noted}`);
    wikis += await insertFor(
      client,
      `insert into imported_wiki (${column}, since)
       select location.${column}, wiki from archive_location location join archive_post post on post.id = location.key
       where wiki is not null and ${where} order by 1 returning ${column} as id`,
      [column, isKind],
    );
    bounties += await insertFor(
      client,
      `insert into imported_bounty (${column}, amount, day)
       select location.${column}, amount, created::date from archive_bounty
       join archive_location location on location.key = post_id where ${where} order by archive_bounty.id
       on conflict do nothing returning ${column} as id`,
      [column, isKind],
    );
  }
  return { wikis, bounties };
}

/** Returns how many of the inserted rows belong to new posts. */
async function insertFor(client: ClientBase, insert: string, [column, isKind]: PostKindSql): Promise<number> {
  const { rows } = await client.query<{ added: string }>(`
    with added as (${insert})
    select count(*) as added from added where id in (
      select ${column} from archive_location location where is_new and ${isKind})`);
  return Number(rows[0]?.added);
}

/** The existing posts whose marks or bounties change. Without rows for imports that only add. */
export async function createNotedTable(client: ClientBase): Promise<void> {
  await client.query(
    'create temporary table archive_noted (key bigint primary key, question_id bigint not null, wiki boolean not null) on commit drop',
  );
}

/** Compares the marks, and the bounties if the archive has votes, of the existing questions or answers. */
async function findNoted(
  client: ClientBase,
  [column, isKind]: PostKindSql,
  { sourceId, hasVotes }: { sourceId: string; hasVotes: boolean },
): Promise<void> {
  const post = column === 'question_id' ? 'question' : 'answer';
  const existing = `archive_location location
    join question on question.id = location.question_id and question.lock_reason is null`;
  const where = `not location.is_new and ${isKind}`;
  const ofSource = `${column} in (select id from ${post} where source_id = ${literal(sourceId)})`;
  await client.query(`
    insert into archive_noted
    select location.key, location.question_id, true from ${existing}
    join archive_post post on post.id = location.key
    left join (select * from imported_wiki where ${ofSource}) known on known.${column} = location.${column}
    where ${where} and known.since is distinct from post.wiki`);
  if (!hasVotes) return;
  await client.query(`
    with there as (
      select distinct location.${column} as id, amount, created::date as day from archive_bounty
      join ${existing} on location.key = post_id where ${where}),
    here as (
      select known.${column} as id, amount, day from imported_bounty known
      join ${existing} on location.${column} = known.${column} where ${where}),
    differing as ((table there except table here) union all (table here except table there))
    insert into archive_noted
    select location.key, location.question_id, false from ${existing}
    where ${where} and location.${column} in (select id from differing)
    on conflict do nothing`);
}

/** SQL: the outcome of each row of a bounty. */
export const bountyOutcomes = (isRefresh: boolean, missing: { hidden: string; absent: string }) => `
  select case
      when location.key is null and hidden.key is not null then '${missing.hidden}'
      when location.key is null then '${missing.absent}'
      when location.is_new then 'taken'
      when noted.key is not null then 'updated'
      when exists (
        select from imported_bounty known
        where case when location.answer_id is null then known.question_id = location.question_id
            else known.answer_id = location.answer_id end
          and known.amount = bounty.amount and known.day = bounty.created::date) then 'known'
      when ${String(isRefresh)} then '${lockedReason}'
      else '${newerReason('newer bounties')}' end as outcome
  from archive_bounty bounty
  left join archive_location location on location.key = bounty.post_id
  left join archive_hidden hidden on hidden.key = bounty.post_id
  left join archive_noted noted on noted.key = bounty.post_id`;
