import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';

/** A range of ids: above `after`, up to `upTo`. */
export type IdRange = { after: number; upTo: number };

/** What sitemaps list, with the tables that have the ids. */
const tables = { questions: 'question', topics: 'tag', members: 'member' } as const;
export type SitemapKind = keyof typeof tables;
export const sitemapKinds = Object.keys(tables) as SitemapKind[];

/** The highest id of each kind; 0 if there is none. */
export async function readHighestIds(db: Reader): Promise<Record<SitemapKind, number>> {
  const { rows } = await sql<Record<SitemapKind, number>>`
    select coalesce((select max(id) from question), 0) as questions,
      coalesce((select max(id) from tag), 0) as topics,
      coalesce((select max(id) from member), 0) as members`.execute(db);
  return rows[0] ?? { questions: 0, topics: 0, members: 0 };
}

/** A page of the site. */
export type SitemapRow = {
  id: number;
  /** The title of a question, or the name of a tag or a member. */
  title: string;
  /** When the content of the page changed last; null if unknown. */
  changed_at: Date | null;
};

/** Reads pages in the order of their ids: visible questions, tags with questions, and members with posts. */
export const readSitemapRows: Readonly<
  Record<SitemapKind, (db: Reader, range: IdRange, limit: number) => Promise<SitemapRow[]>>
> = {
  async questions(db, { after, upTo }, limit) {
    const { rows } = await sql<SitemapRow>`
      select id, title, greatest(active_at, edited_at, (
          select max(answer.edited_at) from answer where answer.question_id = question.id
        )) as changed_at
      from question where id > ${after} and id <= ${upTo} order by id limit ${limit}`.execute(db);
    return rows;
  },
  async topics(db, { after, upTo }, limit) {
    const { rows } = await sql<SitemapRow>`
      select id, name as title, active_at as changed_at from tag
      where id > ${after} and id <= ${upTo} and questions_count > 0 order by id limit ${limit}`.execute(db);
    return rows;
  },
  async members(db, { after, upTo }, limit) {
    const { rows } = await sql<SitemapRow>`
      select id, '' as title, null::timestamptz as changed_at from member
      where id > ${after} and id <= ${upTo} and questions_count + answers_count > 0
        and deleted_at is null order by id limit ${limit}`.execute(db);
    return rows;
  },
};
