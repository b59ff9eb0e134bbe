import type { ClientBase } from 'pg';
import { refuseMissing } from './stack-exchange-gone.ts';
import { hashOf, literal } from './stack-exchange-queries.ts';

/** The texts of a profile, with the hash of what the archive had before. */
const profileTexts = [
  ['name', 'display_name', 'name_hash'],
  ['bio', 'bio', 'content_hash'],
  ['location', 'location', 'location_hash'],
  ['website', 'website', 'website_hash'],
] as const;

/** SQL: whether a text of a profile that changed on the site was changed here as well. */
export const isChangedHere = profileTexts.map(([name]) => `${name} and ${name}_here`).join(' or ');

/**
 * Brings names, bios, locations, websites and reputation of existing members up to date. What moderators changed here
 * stays. Of a profile that a member claimed, only the reputation changes, that of this member; the first archive after a
 * move only stores the reputation that later ones are compared with. The table
 * `archive_changed_user` has the changes. With `isRefresh` false, they are only found.
 */
export async function refreshProfiles(
  client: ClientBase,
  { sourceId, isRefresh }: { sourceId: string; isRefresh: boolean },
): Promise<void> {
  const isHere = (column: string, hash: string) =>
    `coalesce(${hashOf(`member.${column}`)} <> known.${hash}, false)`;
  const differs = (column: string, hash: string, value: string) =>
    `coalesce(known.${hash} <> ${hashOf(value)}, member.${column} is distinct from ${value})`;
  const compared = profileTexts.flatMap(([name, column, hash]) => [
    `into_id is null and ${differs(column, hash, `item.${name}`)} as ${name}`,
    `${isHere(column, hash)} as ${name}_here`,
  ]);
  await client.query(`
    create temporary table archive_changed_user on commit drop as
    select * from (
      select known.key, member.id,
        item.reputation - case when into_id is null then coalesce(known.reputation, imported_reputation)
          else coalesce(known.reputation, item.reputation) end as points,
        ${compared.join(', ')}
      from archive_known_user known
      join archive_user item on item.id = known.key and not item.nameless
      left join account_merge on account_merge.member_id = known.id
      join member on member.id = coalesce(into_id, known.id) and member.deleted_at is null
      where into_id is not null or known.visible and member.source_id = ${literal(sourceId)} and member.email is null) compared
    where ${profileTexts.map(([name]) => name).join(' or ')} or points <> 0`);
  await client.query('create unique index archive_changed_user_key on archive_changed_user (key)');
  if (!isRefresh) return;
  await client.query(
    'select from member where id in (select id from archive_changed_user) order by id for no key update',
  );
  const newTexts = profileTexts.map(
    ([name, column]) =>
      `${column} = case when changed.${name} and not ${name}_here then item.${name} else member.${column} end`,
  );
  await client.query(`
    update member set ${newTexts.join(', ')}
    from archive_changed_user changed join archive_user item on item.id = changed.key
    where member.id = changed.id and (${profileTexts.map(([name]) => `changed.${name}`).join(' or ')})`);
  // A member can have claimed several profiles of the site.
  await client.query(`
    update member set reputation = reputation + points, imported_reputation = imported_reputation + points
    from (select id, sum(points) as points from archive_changed_user group by id) changed
    where member.id = changed.id and points <> 0`);
  const newHashes = profileTexts.map(
    ([name, , hash]) =>
      `${hash} = case when changed.${name} and ${name}_here then row.${hash} else ${hashOf(`item.${name}`)} end`,
  );
  await client.query(
    `update imported_row row set ${newHashes.join(', ')}, reputation = item.reputation
     from archive_known_user known
     join archive_user item on item.id = known.key and not item.nameless
     left join archive_changed_user changed on changed.key = known.key
     where row.source_id = $1 and row.kind = 'member' and row.source_key = known.key::text
       and (changed.key is not null or known.visible and (row.name_hash is null or row.location_hash is null)
         or row.reputation is null and exists (select from account_merge where member_id = known.id))`,
    [sourceId],
  );
}

export async function createGoneUserTable(client: ClientBase): Promise<void> {
  await client.query(
    'create temporary table archive_gone_user (source_key text not null, id bigint not null) on commit drop',
  );
}

/**
 * Empties the profiles of members whose accounts the site no longer has. Returns how many; the table `archive_gone_user`
 * has them.
 * @throws ArchiveError if so many are missing that the archive looks incomplete, unless that is allowed
 */
export async function emptyGoneProfiles(
  client: ClientBase,
  { sourceId, allowMany }: { sourceId: string; allowMany: boolean },
): Promise<number> {
  // Also an archive without users has the numbers of authors.
  const { rows: users } = await client.query('select from archive_user where not nameless limit 1');
  if (users.length === 0) return 0;
  await client.query(
    `update imported_row row set is_gone = false from archive_user
     where row.source_id = $1 and row.kind = 'member' and row.is_gone and row.source_key = archive_user.id::text`,
    [sourceId],
  );
  // Materialized: few rows are left before the join with `member`, which PostgreSQL would otherwise do for every account.
  await client.query(
    `with absent as materialized (
       select row.source_key, row.id from imported_row row
       where row.source_id = $1 and row.kind = 'member' and not row.is_gone
         and not exists (select from archive_user where archive_user.id = row.source_key::bigint))
     insert into archive_gone_user
     select absent.source_key, member.id from absent join member on member.id = absent.id
     where member.source_id = $1 and deleted_at is null and email is null`,
    [sourceId],
  );
  const { rows } = await client.query<{ gone: string; known: string }>(
    `select (select count(*) from archive_gone_user) as gone,
       (select count(*) from imported_row where source_id = $1 and kind = 'member') as known`,
    [sourceId],
  );
  const gone = Number(rows[0]?.gone);
  if (!allowMany) refuseMissing('members', { gone, known: Number(rows[0]?.known) });
  await client.query(`
    update member set display_name = 'user' || source_key, bio = null, location = null, website = null,
      reputation = reputation - imported_reputation,
      imported_reputation = 0
    where id in (select id from archive_gone_user)`);
  await client.query(
    `update imported_row row set is_gone = true, name_hash = ${hashOf("'user' || row.source_key")},
       content_hash = ${hashOf('null::text')}, location_hash = ${hashOf('null::text')}, website_hash = ${hashOf('null::text')},
       reputation = 0
     from archive_gone_user gone
     where row.source_id = $1 and row.kind = 'member' and row.source_key = gone.source_key`,
    [sourceId],
  );
  return gone;
}

/** Removes the follows of imported members whose favourites the site no longer has. Returns how many. */
export async function removeFollows(client: ClientBase, sourceId: string): Promise<number> {
  // Newer archives have no favourites at all.
  const { rows } = await client.query('select from archive_vote where kind = 5 limit 1');
  if (rows.length === 0) return 0;
  const removed = await client.query(
    `delete from question_follow follow using archive_question placed, question, member
     where follow.question_id = placed.id and not placed.is_new and question.id = placed.id and lock_reason is null
       and follow.member_id = member.id and member.source_id = $1 and member.email is null
       and not exists (
         select from archive_vote where kind = 5 and post_id = placed.key and member = member.source_key::bigint)`,
    [sourceId],
  );
  return removed.rowCount ?? 0;
}
