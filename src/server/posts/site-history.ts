import { sql } from 'kysely';
import { jsonTime } from '#server/core/sql.ts';

/** SQL: what the site of an imported post showed with it, as JSON; null for nothing. The query has the row `post`. */
export const siteHistoryJson = (kind: 'question' | 'answer') => {
  const isOfPost = sql`${sql.ref(`${kind}_id`)} = post.id`;
  return sql`case when post.source_id is not null then (
    select json_build_object('communityWikiAt', wiki, 'bounties', coalesce(bounties, '[]'))
    from (
      select (select ${jsonTime(sql`since`)} from imported_wiki where ${isOfPost}) as wiki, (
        select json_agg(json_build_object('amount', amount, 'day', day) order by day, amount) from imported_bounty
        where ${isOfPost}) as bounties
    ) shown where wiki is not null or bounties is not null
  ) end`;
};
