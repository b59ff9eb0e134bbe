import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { isTagVisible } from '#server/posts/index.ts';
import type { ExistingTag } from './similar-tags.ts';

/** Returns the text of a question, undefined if it does not exist. */
export async function findQuestionText(db: Reader, id: number) {
  const { rows } = await sql<{
    title: string;
    content: string;
    tags: string[];
    descriptions: { name: string; description: string | null }[];
  }>`
    select title, left(content, ${sql.lit(contentCompared)}) as content, array(
      select tag.name from question_tag join tag on tag.id = question_tag.tag_id
      where question_tag.question_id = question.id order by position
    ) as tags, (
      select coalesce(json_agg(json_build_object('name', tag.name, 'description', tag.description) order by position), '[]')
      from question_tag join tag on tag.id = question_tag.tag_id where question_tag.question_id = question.id
    ) as descriptions
    from question where id = ${id}`.execute(db);
  return rows[0];
}

/** Characters compared. Imported questions can be longer than the limit; their beginning has the relevant words. */
const contentCompared = 5000;

/** SQL: the visible ones of the named tags as `tag`. `named`: the tag, or a synonym of it. */
const namedTags = (keys: readonly string[]) => sql`
  (select id, key, synonym_of from tag where key = any(${[...keys]}::text[])) named
  join tag on tag.id = coalesce(named.synonym_of, named.id) and ${isTagVisible}`;

/** Returns those of the tags that exist and are visible, by their key or that of a synonym. */
export async function listTags(db: Reader, keys: readonly string[]): Promise<ExistingTag[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<ExistingTag>`
    select named.key, tag.name, tag.questions_count as "questionsCount" from ${namedTags(keys)}`.execute(db);
  return rows;
}

type Followers = { keys: readonly string[]; exceptMember: number };

/** Counts the members who follow at least one of the tags. */
export async function countAudience(db: Reader, { keys, exceptMember }: Followers): Promise<number> {
  const { rows } = await sql<{ members: number }>`
    select count(distinct follow.member_id) as members
    from ${namedTags(keys)} join tag_follow follow on follow.tag_id = tag.id
    where follow.member_id <> ${exceptMember}`.execute(db);
  return rows[0]?.members ?? 0;
}

/** Returns the number of followers by tag key. Tags without followers can be missing. */
export async function countFollowers(db: Reader, { keys, exceptMember }: Followers) {
  const { rows } = await sql<{ key: string; followers: number }>`
    select named.key, count(*) as followers
    from ${namedTags(keys)} join tag_follow follow on follow.tag_id = tag.id
    where follow.member_id <> ${exceptMember}
    group by named.key`.execute(db);
  return new Map(rows.map((row) => [row.key, row.followers]));
}
