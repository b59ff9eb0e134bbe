import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Database } from '#server/core/database.ts';

/** Everything visible of an imported site that depends on its archive alone, by the numbers of the archive. */
export async function readImportedSite(client: ClientBase): Promise<Record<string, unknown[]>> {
  const posts = await client.query<{ path: string; key: string }>(`
    select '/question/' || id as path, source_key as key from question where source_id is not null
    union all select '#answer-' || id, source_key from answer where source_id is not null`);
  const keys = new Map(posts.rows.map(({ path, key }) => [path, key]));
  const named = (text: string) =>
    text.replace(/\/question\/\d+|#answer-\d+/gu, (path) => `{${keys.get(path) ?? path}}`);
  const read = async (sql: string) => {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows.map((row) =>
      typeof row['content'] === 'string' ? { ...row, content: named(row['content']) } : row,
    );
  };
  const byline = `post.source_key as key, content, author.source_key as author, imported_author_name, upvotes, downvotes,
    imported_upvotes, imported_downvotes, source_license, post.created_at, edited_at`;
  const author = 'left join member author on author.id = post.author_id';
  return {
    questions: await read(`
      select ${byline}, title, excerpt, excerpt_cut, views, imported_views, answer_count, active_at, tag_text,
        (select source_key from answer where id = accepted_answer_id) as accepted,
        (select source_key from question original where id = post.duplicate_of) as duplicate_of,
        (select to_jsonb(closing) - 'question_id' from question_closing closing where question_id = post.id) as closing,
        (select array_agg(member.source_key order by member.source_key) from question_closer join member on member.id = member_id
          where question_id = post.id) as closers, lock_reason,
        (select array_agg(tag.key order by position) from question_tag join tag on tag.id = tag_id
          where question_id = post.id) as tags,
        (select array_agg(member.source_key order by member.source_key) from question_follow join member on member.id = member_id
          where question_id = post.id) as followers,
        (select to_jsonb(place) - 'question_id' from question_sort_key place where question_id = post.id) as place
      from question post ${author} where post.source_id is not null order by post.source_key`),
    answers: await read(`
      select ${byline}, question.source_key as question,
        (select score from answer_score where answer_id = post.id) as place
      from (select * from answer) post ${author} join (select id, source_key from question) question
        on question.id = post.question_id
      where post.source_id is not null order by post.source_key`),
    replies: await read(`
      select ${byline}, (select source_key from question where id = post.question_id) as question,
        (select source_key from answer where id = post.answer_id) as answer
      from reply post ${author} where post.source_id is not null order by post.source_key`),
    members: await read(`
      select source_key as key, display_name, bio, location, website, reputation, questions_count, answers_count from member
      where source_id is not null and source_key not in (select source_key from imported_row where kind = 'member' and is_gone)
      order by source_key`),
    versions: await read(`
      select coalesce(question.source_key, answer.source_key) as key, number, revision.title, revision.content, tags,
        revision.created_at, replaced_at, editor.source_key as editor, imported_editor_name, imported_summary,
        approver.source_key as approver
      from revision left join question on question.id = revision.question_id
      left join answer on answer.id = revision.answer_id
      left join member editor on editor.id = imported_editor_id
      left join member approver on approver.id = imported_approver_id
      where is_imported order by key, number`),
    badges: await read(`
      select source_key as key, name, class, is_tag_based, awards, first_at, last_at from imported_badge
      order by source_key, name, class`),
    siteHistory: await read(`
      select coalesce(question.source_key, answer.source_key) as key, since, amount, day from (
        select question_id, answer_id, since, null::int as amount, null::date as day from imported_wiki
        union all select question_id, answer_id, null, amount, day from imported_bounty) noted
      left join question on question.id = question_id left join answer on answer.id = answer_id
      order by key, day, amount`),
    tagTexts: await read(`
      select imported.source_key as key, kind, path, license, is_removed,
        case kind when 'description' then description else about end as content
      from imported_tag_text imported join tag on tag.id = tag_id order by imported.source_key`),
    tags: await read(
      'select name, key, questions_count, active_at from tag where questions_count > 0 order by key',
    ),
  };
}

/** All rows of all tables, except those of sessions, of the event stream, and `others`. */
export async function readAllTables(
  db: Database,
  others: readonly string[] = [],
): Promise<Record<string, unknown[]>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname <> all(${['rate_limit', 'node_heartbeat', 'session', 'event', ...others]}::text[])`.execute(
    db,
  );
  const tables: Record<string, unknown[]> = {};
  for (const { name } of rows) {
    const table = await sql`select t::text from ${sql.table(name)} t order by t::text`.execute(db);
    tables[name] = table.rows;
  }
  return tables;
}
