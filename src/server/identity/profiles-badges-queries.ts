import { sql } from 'kysely';
import { jsonTime } from '#server/core/sql.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { badgeClasses } from '#shared/identity/imported-badges.ts';

const awardsOf = (badgeClass: string) => sql`coalesce(sum(awards) filter (where class = ${badgeClass}), 0)`;

/**
 * The badges of imported profiles of the row of `member`, as JSON for each site. Those of two profiles of one site are
 * counted together.
 */
export const importedBadgesJson = sql`(
  select coalesce(json_agg(json_build_object(
      'site', site, 'total', total, 'gold', gold, 'silver', silver, 'bronze', bronze, 'badges', badges[1:${sql.lit(serverLimits.importedBadges)}]
    ) order by site), '[]')
  from (
    select site, count(*) as total, ${awardsOf('gold')} as gold, ${awardsOf('silver')} as silver,
      ${awardsOf('bronze')} as bronze,
      array_agg(
        json_build_object('name', name, 'class', class, 'awards', awards, 'firstAt', ${jsonTime(sql`first_at`)},
          'lastAt', ${jsonTime(sql`last_at`)})
        order by array_position(${[...badgeClasses]}::text[], class), awards desc, name) as badges
    from (
      select source_id, name, class, sum(awards)::integer as awards, min(first_at) as first_at, max(last_at) as last_at
      from imported_badge where member_id = member.id group by source_id, name, class) badge
    join import_source source on source.id = source_id
    group by source.id, site) by_site)`;
