import { type RawBuilder, sql } from 'kysely';
import type { PostKind } from '#shared/core/fields.ts';
import { reputationPoints } from '#shared/engagement/votes.ts';

/**
 * Adds points to members, as a part of a statement with a CTE. Rows are locked in the order of their ids.
 * @param earned has the columns member_id and points
 */
export const addPointsOf = (earned: string) => sql`
  update member set reputation = member.reputation + locked.points
  from (
    select id, points
    from member join (
      select member_id, sum(points)::bigint as points from ${sql.table(earned)}
      group by member_id having sum(points) <> 0
    ) total on member_id = id
    order by id for no key update of member
  ) locked
  where member.id = locked.id`;

/** The points of a vote, for its author's reputation (docs/product.md 7.4). `direction`: 'up' or 'down'. */
export const selectPoints = (kind: PostKind, direction: RawBuilder<unknown>) =>
  sql`case ${direction} when 'up' then ${sql.lit(reputationPoints[kind].up)} else ${sql.lit(reputationPoints[kind].down)} end`;
