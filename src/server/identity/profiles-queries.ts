import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import type { Cursor } from '#server/core/cursor.ts';
import { one } from '#server/core/sql.ts';
import {
  answerCardColumns,
  type AnswerCardRow,
  bylineJoins,
  questionCardColumns,
  type QuestionCardRow,
} from '#server/posts/index.ts';
import type { MemberSettings } from '#shared/identity/profiles.ts';
import type { ImportedBadges } from '#shared/identity/imported-badges.ts';
import { importedBadgesJson } from './profiles-badges-queries.ts';
import { storedReceived } from '#server/discovery/index.ts';

/** The profile of a member. The id of a merged account leads to the account that it was merged into. */
export async function findProfile(db: Reader, id: number) {
  const { rows } = await sql<{
    id: number;
    display_name: string | null;
    avatar: string | null;
    email: string | null;
    show_email: boolean;
    bio: string | null;
    location: string | null;
    website: string | null;
    is_bot: boolean;
    is_removed: boolean;
    created_at: Date;
    reputation: number;
    questions_count: number;
    answers_count: number;
    upvotes: number;
    views: number;
    source_site: string | null;
    source_key: string | null;
    imported_badges: ImportedBadges[];
  }>`
    select member.id, display_name, avatar, email, show_email, bio, location, website, is_bot, created_at, reputation,
      exists (select from activity_removal where member_id = member.id and state <> 'restored') as is_removed, questions_count, answers_count,
      source_key, source.site as source_site, ${sumReceived('upvotes')} as upvotes, ${sumReceived('views')} as views,
      ${importedBadgesJson} as imported_badges
    from member
    left join import_source source on source.id = member.source_id
    where application is null
      and member.id = coalesce((select into_id from account_merge where member_id = ${id}), ${id})`.execute(
    db,
  );
  return rows[0];
}

const sumReceived = (column: 'upvotes' | 'views') =>
  sql`(select coalesce(sum(${sql.ref(column)}), 0) from (${storedReceived(sql`= member.id`)}) known)::bigint`;

type PageWindow = { memberId: number; cursor: Cursor | null; limit: number };

const afterCursor = (cursor: Cursor | null) =>
  cursor === null
    ? sql`true`
    : sql`(post.created_at, post.id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;

/** A member's questions, newest first. The index question_author serves the order. */
export async function listQuestionsBy(db: Reader, { memberId, cursor, limit }: PageWindow) {
  const { rows } = await sql<QuestionCardRow>`
    select ${questionCardColumns} from question post ${bylineJoins}
    where post.author_id = ${memberId} and ${afterCursor(cursor)}
    order by post.created_at desc, post.id desc limit ${limit}`.execute(db);
  return rows;
}

/** A member's answers, newest first. The index answer_author serves the order. */
export async function listAnswersBy(db: Reader, { memberId, cursor, limit }: PageWindow) {
  const { rows } = await sql<AnswerCardRow>`
    select ${answerCardColumns} from answer post
    join question on question.id = post.question_id ${bylineJoins}
    where post.author_id = ${memberId} and ${afterCursor(cursor)}
    order by post.created_at desc, post.id desc limit ${limit}`.execute(db);
  return rows;
}

export async function getMemberSettings(db: Reader, id: number) {
  const { rows } = await sql<{
    display_name: string | null;
    email: string | null;
    bio: string | null;
    location: string | null;
    website: string | null;
    show_email: boolean;
  }>`
    select display_name, email, bio, location, website, show_email from member where id = ${id}`.execute(db);
  return one(rows);
}

/** Returns false for an account that was deleted or merged meanwhile, which has no personal data any more. */
export async function updateMemberSettings(
  tx: Tx,
  { id, displayName, bio, location, website, showEmail }: MemberSettings & { id: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update member
    set display_name = ${displayName}, bio = ${bio}, location = ${location}, website = ${website}, show_email = ${showEmail}, updated_at = now()
    where id = ${id} and deleted_at is null`.execute(tx);
  return numAffectedRows > 0n;
}
