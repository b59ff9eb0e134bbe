import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { likePrefix } from '#server/core/sql.ts';

export type NamedMember = { id: number; display_name: string };

/** The maximum number of latest answers, and of latest replies, that are read for a thread. */
const maxPostsRead = sql.lit(200);

/** Members who wrote in a thread and have a name with a word that starts with the prefix, latest first. */
export async function listThreadMembers(
  db: Reader,
  wanted: { questionId: number; viewerId: number; beginning: string; limit: number },
) {
  const { questionId, viewerId, beginning, limit } = wanted;
  const pattern = likePrefix(beginning);
  const { rows } = await sql<NamedMember>`
    with written as (
      select author_id, created_at from question where id = ${questionId}
      union all (
        select author_id, created_at from answer where question_id = ${questionId}
        order by created_at desc, id desc limit ${maxPostsRead}
      )
      union all (
        select author_id, created_at from reply where question_id = ${questionId} and deleted_at is null
        order by id desc limit ${maxPostsRead}
      )
    )
    select member.id, member.display_name from written join member on member.id = written.author_id
    where member.id <> ${viewerId}
      and (member.display_name ilike ${pattern} or member.display_name ilike ${`% ${pattern}`})
    group by member.id order by max(written.created_at) desc, member.id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Members who can sign in and whose name starts with the prefix, sorted by name. Served by the index
 * member_mention_prefix.
 */
export async function listMembersByName(
  db: Reader,
  { beginning, except, limit }: { beginning: string; except: readonly number[]; limit: number },
) {
  const { rows } = await sql<NamedMember>`
    select id, display_name from member
    where email is not null and application is null and id <> all(${[...except]}::bigint[])
      and lower(display_name) collate "C" like lower(${likePrefix(beginning)}::text) collate "C"
    order by lower(display_name) collate "C", id limit ${limit}`.execute(db);
  return rows;
}
