import type { ClientBase } from 'pg';
import type { BadgeClass } from '#shared/identity/imported-badges.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { truncate } from '#shared/core/text.ts';
import { copyRows } from './copy-rows.ts';
import { cleanLine } from './stack-exchange-characters.ts';
import { parseInteger, parseTime } from './stack-exchange-fields.ts';
import { literal } from './stack-exchange-queries.ts';
import { incompleteReason, stageEach, type StageRows } from './stack-exchange-stage.ts';
import { newerReason } from './stack-exchange-tally.ts';

/** Archives from before 2014 have no class. */
const classes: ReadonlyMap<string, BadgeClass> = new Map([
  ['1', 'gold'],
  ['2', 'silver'],
  ['3', 'bronze'],
]);

/** The number of each class in archives. */
export const badgeClassNumbers: Readonly<Partial<Record<BadgeClass, string>>> = Object.fromEntries(
  [...classes].map(([number, name]) => [name, number]),
);

export const stageBadges: StageRows = async (client, rows, tally) => {
  const staged = stageEach(rows, tally, (row) => {
    const id = parseInteger(row['Id']);
    const member = parseInteger(row['UserId']);
    const awarded = parseTime(row['Date']);
    const name = truncate(cleanLine(row['Name'] ?? ''), serverLimits.importedBadgeName);
    if (id === null || member === null || awarded === null || name === '') return incompleteReason;
    return [id, member, name, classes.get(row['Class'] ?? '') ?? null, row['TagBased'] === 'True', awarded];
  });
  await copyRows(client, 'archive_badge (id, member, name, class, is_tag_based, awarded)', staged);
};

/** The badges of the community's own archive, such as the demo. */
export const skipBadges: StageRows = async (_client, rows, tally) => {
  tally.skip('Parley has no badges', rows.length);
};

/** What became of badges, each badge of a profile once. `removedRows` counts rows of the earlier archive. */
export type BadgeChanges = { added: number; changed: number; removed: number; removedRows: number };

/**
 * Adds the badges of the profiles, one row for each badge of a profile; with `isRefresh`, those of earlier imports become
 * what the archive has. The table `archive_earned` has a row for each badge of a profile in the archive. Runs after the
 * members are added.
 */
export async function applyBadges(
  client: ClientBase,
  { sourceId, runId, isRefresh }: { sourceId: string; runId: string | null; isRefresh: boolean },
): Promise<BadgeChanges> {
  await listEarned(client, sourceId);
  const refreshed = isRefresh ? await refreshBadges(client, sourceId) : noRefresh;
  const added = await client.query(
    `insert into imported_badge (member_id, source_id, source_key, name, class, is_tag_based, awards, first_at, last_at, run_id)
     select member_id, $1, key::text, name, class, is_tag_based, awards, first_at, last_at, $2 from archive_earned
     where member_id is not null and known_id is null order by member_id, last_at, name`,
    [sourceId, runId],
  );
  return { added: added.rowCount ?? 0, ...refreshed };
}

const noRefresh = { changed: 0, removed: 0, removedRows: 0 };

async function listEarned(client: ClientBase, sourceId: string): Promise<void> {
  await client.query(`
    create temporary table archive_earned on commit drop as
    select earned.*, member.id as member_id, place.id is not null as has_profile, known.id as known_id,
      known.awards as known_awards,
      (known.awards, known.first_at, known.last_at) is distinct from (earned.awards, earned.first_at, earned.last_at)
        as differs
    from (
      select member as key, name, class, is_tag_based, count(*)::integer as awards, min(awarded) as first_at,
        max(awarded) as last_at
      from archive_badge group by member, name, class, is_tag_based) earned
    left join archive_member place on place.key = earned.key
    left join member on member.id = place.id and member.deleted_at is null
    left join imported_badge known on known.source_id = ${literal(sourceId)} and known.source_key = earned.key::text
      and known.name = earned.name and known.class is not distinct from earned.class
      and known.is_tag_based = earned.is_tag_based;
    analyze archive_earned;`);
}

/** Sets the badges of earlier imports to those of the archive. Runs before new ones are added. */
async function refreshBadges(client: ClientBase, sourceId: string): Promise<Omit<BadgeChanges, 'added'>> {
  // An archive without the file, or with an empty one, says nothing about badges.
  const { rows: any } = await client.query('select from archive_earned limit 1');
  if (any.length === 0) return noRefresh;
  const { rows } = await client.query<Record<'changed' | 'removed' | 'fewer' | 'gone', string>>(
    `with changed as (
       update imported_badge badge set awards = earned.awards, first_at = earned.first_at, last_at = earned.last_at
       from archive_earned earned where badge.id = earned.known_id and earned.differs
       returning greatest(earned.known_awards - earned.awards, 0) as fewer),
     removed as (
       delete from imported_badge badge
       where source_id = $1 and not exists (select from archive_earned where known_id = badge.id)
       returning awards)
     select (select count(*) from changed) as changed, (select count(*) from removed) as removed,
       (select coalesce(sum(fewer), 0) from changed) as fewer, (select coalesce(sum(awards), 0) from removed) as gone`,
    [sourceId],
  );
  const [row] = rows;
  return {
    changed: Number(row?.changed),
    removed: Number(row?.removed),
    removedRows: Number(row?.fewer) + Number(row?.gone),
  };
}

/** SQL: the outcome of each row of the badges. */
export const badgeOutcomes = (isRefresh: boolean) => `
  select case
      when member_id is null and has_profile then 'of members who deleted their account here'
      when member_id is null then 'of members who are not in the archive'
      when known_id is null then 'taken'
      when not differs then 'known'
      when not ${String(isRefresh)} then case when number > known_awards then '${newerReason('newer badges')}' else 'known' end
      when number > known_awards then 'taken'
      when awards = known_awards then 'updated'
      else 'known' end as outcome
  from archive_earned cross join lateral generate_series(1, awards) number`;
