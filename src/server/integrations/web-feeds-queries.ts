import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { bylineJoins, questionTagNames } from '#server/posts/index.ts';

/** A question or an answer in a feed. */
export type FeedEntryRow = {
  kind: 'question' | 'answer';
  id: number;
  question_id: number;
  title: string;
  content: string;
  imported: boolean;
  author_id: number | null;
  author_name: string;
  tags: string[];
  created_at: Date;
  edited_at: Date | null;
};

const common = sql`
  post.content, post.source_id is not null as imported, post.author_id,
  coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) as author_name,
  post.created_at, post.edited_at`;

const questionColumns = sql`
  'question' as kind, post.id, post.id as question_id, post.title, ${questionTagNames} as tags, ${common}`;

const answerColumns = sql`
  'answer' as kind, post.id, post.question_id, question.title, array[]::text[] as tags, ${common}`;

/** The newest questions. The index question_recent serves the order. */
export async function listNewestQuestions(db: Reader, limit: number): Promise<FeedEntryRow[]> {
  return read(
    db,
    sql`select ${questionColumns} from question post ${bylineJoins}
      order by post.created_at desc, post.id desc limit ${limit}`,
  );
}

/** The newest questions without an answer. The index question_sort_key_unanswered serves the order. */
export async function listUnansweredQuestions(db: Reader, limit: number): Promise<FeedEntryRow[]> {
  return read(
    db,
    sql`select ${questionColumns}
      from question_sort_key place join question post on post.id = place.question_id ${bylineJoins}
      where place.answer_count = 0 order by place.created_at desc, place.question_id desc limit ${limit}`,
  );
}

/** The newest questions with a tag. The index question_tag_newest serves the order. */
export async function listNewestQuestionsWithTag(
  db: Reader,
  { tagId, limit }: { tagId: number; limit: number },
): Promise<FeedEntryRow[]> {
  return read(
    db,
    sql`select ${questionColumns} from question_tag link join question post on post.id = link.question_id ${bylineJoins}
      where link.tag_id = ${tagId}
      order by link.question_created_at desc, link.question_id desc limit ${limit}`,
  );
}

/** The newest questions with a tag, for the widget of other sites. */
export async function listWidgetQuestions(
  db: Reader,
  { tagId, limit }: { tagId: number; limit: number },
): Promise<{ id: number; title: string; answer_count: number }[]> {
  const { rows } = await sql<{ id: number; title: string; answer_count: number }>`
    select post.id, post.title, post.answer_count
    from question_tag link join question post on post.id = link.question_id
    where link.tag_id = ${tagId}
    order by link.question_created_at desc, link.question_id desc limit ${limit}`.execute(db);
  return rows;
}

/** A question and its newest answers. */
export async function listQuestionWithAnswers(
  db: Reader,
  { id, limit }: { id: number; limit: number },
): Promise<FeedEntryRow[]> {
  return read(
    db,
    sql`(select ${answerColumns} from answer post join question on question.id = post.question_id ${bylineJoins}
        where post.question_id = ${id} order by post.created_at desc, post.id desc limit ${limit})
      union all (select ${questionColumns} from question post ${bylineJoins} where post.id = ${id})`,
  );
}

/** A member's newest questions and answers. The indexes question_author and answer_author serve the order. */
export async function listNewestPostsBy(
  db: Reader,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<FeedEntryRow[]> {
  return read(
    db,
    sql`select * from (
        (select ${questionColumns} from question post ${bylineJoins}
          where post.author_id = ${memberId} order by post.created_at desc, post.id desc limit ${limit})
        union all
        (select ${answerColumns} from answer post join question on question.id = post.question_id ${bylineJoins}
          where post.author_id = ${memberId} order by post.created_at desc, post.id desc limit ${limit})
      ) entry order by created_at desc, id desc limit ${limit}`,
  );
}

async function read(db: Reader, query: RawBuilder<unknown>): Promise<FeedEntryRow[]> {
  const { rows } = await sql<FeedEntryRow>`${query}`.execute(db);
  return rows;
}

/** A member by id; of a merged account, the one that it became. */
export async function findFeedMember(
  db: Reader,
  id: number,
): Promise<{ id: number; name: string } | undefined> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, coalesce(display_name, ${unnamedMember}) as name from member
    where id = coalesce((select into_id from account_merge where member_id = ${id}), ${id})
      and application is null`.execute(db);
  return rows[0];
}
