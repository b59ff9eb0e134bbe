import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { one, unnamedMember } from '#server/core/sql.ts';
import { type AnswerNotifications, insertAnswerNotifications } from '#server/notifications/index.ts';
import { deleteOldDraftsOf, type EndedDrafts, type PostedText } from './drafts.ts';
import {
  endDraftsStatement,
  insertPostedDraftsStatement,
  lockDraftsStatement,
  type LockedDraft,
} from './drafts-queries.ts';
import {
  claimKeysStatement,
  type ClaimedKey,
  type PostRequest,
  releaseKeysStatement,
} from './idempotency.ts';
import type { QuestionCounts } from './posts-events.ts';
import { writeAnswerScores, writeQuestionSortKeys, writeTagSortKeys } from './sort-keys.ts';
import { markStaleDays } from './statistics-changes.ts';
import { updateTagActivityStatement } from './tags-queries.ts';
import { insertAnswerUploadReferences } from './uploads-queries.ts';

/** A question that gets answers. `lock_reason`: null if it is not locked. */
export type AnsweredQuestion = QuestionCounts & {
  id: number;
  author_id: number | null;
  lock_reason: string | null;
};

/** What an answer needs besides its question. */
export type AnswerPreparation = {
  /** The time of the answers. */
  at: Date;
  /** Ids for the answers without an idempotency key. */
  ids: number[];
  /** The authors by member id. */
  authors: Record<string, { name: string; avatar: string | null; isBot: boolean }>;
  /** The names of the tags by question id. */
  tags: Record<string, string[]>;
};

/**
 * Claims the idempotency keys, locks the questions in the order of their ids against other changes of their threads (not
 * votes and views), locks the drafts, and reads what the answers need.
 */
export async function prepareAnswers(
  tx: Tx,
  wanted: {
    postings: readonly PostRequest[];
    questionIds: readonly number[];
    drafts: readonly PostedText[];
  },
): Promise<
  AnswerPreparation & { claimed: ClaimedKey[]; questions: AnsweredQuestion[]; drafts: LockedDraft[] }
> {
  const { postings, questionIds, drafts } = wanted;
  const keyed = postings.filter(({ key }) => key !== undefined);
  const memberIds = [...new Set(postings.map(({ viewer }) => viewer.id))];
  const claimed =
    keyed.length === 0 ? [] : (await claimKeysStatement(keyed, 'answer_id_seq').execute(tx)).rows;
  const questions = await lockQuestions(questionIds).execute(tx);
  const locked = await lockDraftsStatement(drafts).execute(tx);
  if (keyed.length > 0) await deleteOldDraftsOf(memberIds).execute(tx);
  const count = postings.length - keyed.length;
  const { rows } = await readPreparation({ memberIds, questionIds, count }).execute(tx);
  const read = one(rows);
  return { ...read, ids: read.ids.map(Number), claimed, questions: questions.rows, drafts: locked.rows };
}

const lockQuestions = (ids: readonly number[]) => sql<AnsweredQuestion>`
  select id, author_id, lock_reason, upvotes, downvotes, views, answer_count from question
  where id = any(${[...ids]}::bigint[]) order by id for no key update`;

const readPreparation = (wanted: { memberIds: number[]; questionIds: readonly number[]; count: number }) =>
  sql<AnswerPreparation>`
    select now()::timestamptz(3) as at,
      array(select nextval('answer_id_seq') from generate_series(1, ${wanted.count}::int)) as ids,
      (
        select json_object_agg(id, json_build_object(
          'name', coalesce(display_name, ${unnamedMember}), 'avatar', avatar, 'isBot', is_bot
        ))
        from member where id = any(${wanted.memberIds}::bigint[])
      ) as authors,
      (
        select coalesce(json_object_agg(question_id, names), '{}') from (
          select question_id, json_agg(name order by position) as names
          from question_tag join tag on tag.id = tag_id
          where question_id = any(${[...wanted.questionIds]}::bigint[]) group by question_id
        ) tagged
      ) as tags`;

/** Answers to locked questions, and what else changes with them. */
export type AnswerChanges = {
  at: Date;
  answers: readonly { id: number; questionId: number; authorId: number; content: string }[];
  notifications: readonly AnswerNotifications[];
  endedDrafts: EndedDrafts;
  /** Requests that are refused: their keys can be used again. */
  refused: readonly PostRequest[];
};

/**
 * All changes of posting answers as CTEs of one statement. `notified` has the recipients of notifications, and
 * `ended_draft` the drafts that ended.
 */
export const changeByAnswers = ({ at, answers, notifications, endedDrafts, refused }: AnswerChanges) => sql`
  with posted as materialized (
    select * from unnest(
      ${answers.map(({ id }) => id)}::bigint[], ${answers.map(({ questionId }) => questionId)}::bigint[],
      ${answers.map(({ authorId }) => authorId)}::bigint[], ${answers.map(({ content }) => content)}::text[]
    ) as posted (id, question_id, author_id, content)
  ), added as (
    insert into answer (id, question_id, author_id, content, created_at) overriding system value
    select id, question_id, author_id, content, ${at} from posted order by id
    returning id, question_id, upvotes, downvotes, created_at
  ), ${insertAnswerUploadReferences(answers)} answer_scores as (
    ${sql.raw(writeAnswerScores('added'))}
  ), counted as (
    update question set answer_count = answer_count + by_question.answers, active_at = greatest(active_at, ${at})
    from (select question_id, count(*) as answers from posted group by question_id) by_question
    where question.id = question_id
    returning id, created_at, active_at, upvotes, answer_count
  ), question_sort_keys as (
    ${sql.raw(writeQuestionSortKeys('counted'))}
  ), tag_sort_keys as (
    ${sql.raw(writeTagSortKeys('counted'))}
  ), counted_for_author as (
    update member set answers_count = answers_count + locked.answers
    from (
      select member.id, answers
      from member join (select author_id, count(*) as answers from posted group by author_id) by_author on id = author_id
      order by id for no key update of member
    ) locked
    where member.id = locked.id
  ), member_statistics_changed as (
    insert into member_statistics_change (member_id, day, answers)
    select author_id, utc_day(${at}), count(*) from posted group by author_id
  ), tag_statistics_changed as (
    insert into tag_statistics_change (tag_id, week, answers)
    select tag_id, utc_week(${at}), count(*) from posted join question_tag using (question_id) group by tag_id
  ), stale_days as (
    ${markStaleDays(sql`select created_at from counted`)}
  ), active_tags as (
    ${updateTagActivityStatement({ questionIds: [...new Set(answers.map(({ questionId }) => questionId))], at })}
  ), notified as (
    ${insertAnswerNotifications(notifications)}
  ), ended_stored_draft as (
    ${endDraftsStatement(endedDrafts.stored)}
  ), ended_missing_draft as (
    ${insertPostedDraftsStatement(endedDrafts.missing)}
  ), ended_draft as (
    select * from ended_stored_draft union all select * from ended_missing_draft
  ), released_keys as (
    ${releaseKeysStatement(refused)}
  )`;
