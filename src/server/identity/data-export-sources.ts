import { type RawBuilder, sql } from 'kysely';

/** Reads the rows of a list after the key `after`, in the order of the keys. */
export type ExportSource = {
  /** File name without extension. */
  file: string;
  /** Description for the README of the export. */
  about: string;
  /** Rows per query: fewer if they contain whole texts. */
  pageSize: number;
  rows: (memberId: number, after: string | number | null) => RawBuilder<ExportRow>;
};

export type ExportRow = { key: string | number } & Record<string, unknown>;

const textPageSize = 50;
const linePageSize = 5000;

/** Rows after the last key; all without one. */
const afterKey = (column: string, after: string | number | null) =>
  after === null ? sql`true` : sql`${sql.ref(column)} > ${after}`;

const isQuestionVisible = sql`exists (select from question where id = question_id)`;

const selectRevisions = (column: 'question_id' | 'answer_id' | 'reply_id') => sql`
  (select coalesce(json_agg(json_strip_nulls(json_build_object(
      'title', title, 'content', content, 'tags', tags, 'createdAt', created_at
    )) order by id), '[]') from revision where ${sql.ref(column)} = post.id) as "earlierVersions"`;

/** The member's posts. */
export const postSources = {
  questions: {
    file: 'questions',
    about: 'your questions, with their earlier versions, oldest first',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, id, title, content, created_at as "createdAt", edited_at as "editedAt", upvotes, downvotes, views,
        answer_count as "answerCount", accepted_answer_id as "acceptedAnswerId",
        array(
          select tag.name from question_tag join tag on tag.id = tag_id where question_id = post.id order by position
        ) as tags, ${selectRevisions('question_id')}
      from question post where author_id = ${memberId} and ${afterKey('id', after)} order by id limit ${textPageSize}`,
  },
  answers: {
    file: 'answers',
    about: 'your answers, with their earlier versions; `questionId` is the question',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, id, question_id as "questionId", content, created_at as "createdAt", edited_at as "editedAt",
        upvotes, downvotes, ${selectRevisions('answer_id')}
      from answer post where author_id = ${memberId} and ${afterKey('id', after)} order by id limit ${textPageSize}`,
  },
  replies: {
    file: 'replies',
    about:
      'your replies, with their earlier versions; `answerId` is null for a comment on a question, `parentReplyId` is the reply you replied to',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, id, question_id as "questionId", answer_id as "answerId", parent_reply_id as "parentReplyId",
        content, created_at as "createdAt", edited_at as "editedAt", upvotes, downvotes, ${selectRevisions('reply_id')}
      from reply post
      where author_id = ${memberId} and deleted_at is null and ${afterKey('id', after)} order by id limit ${textPageSize}`,
  },
} satisfies Record<string, ExportSource>;

const createVoteSource = (kind: 'question' | 'answer' | 'reply', plural: string): ExportSource => ({
  file: `votes-on-${plural}`,
  about: `your votes on ${plural}, by their ids`,
  pageSize: linePageSize,
  rows: (memberId, after) => sql<ExportRow>`
    select ${sql.ref(`${kind}_id`)} as key, ${sql.ref(`${kind}_id`)} as ${sql.ref(`${kind}Id`)}, direction,
      created_at as "votedAt"
    from vote
    where member_id = ${memberId} and ${afterKey(`${kind}_id`, after)}
      and exists (select from ${sql.table(kind)} where id = ${sql.ref(`vote.${kind}_id`)})
    order by ${sql.ref(`${kind}_id`)} limit ${linePageSize}`,
});

/** Everything else, one file each. */
export const listSources: readonly ExportSource[] = [
  createVoteSource('question', 'questions'),
  createVoteSource('answer', 'answers'),
  createVoteSource('reply', 'replies'),
  {
    file: 'views',
    about: 'the questions you viewed, with the first and the last time',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select question_id as key, question_id as "questionId", viewed_at as "viewedAt",
        coalesce(visited_at, viewed_at) as "lastViewedAt"
      from question_view where member_id = ${memberId} and ${afterKey('question_id', after)} and ${isQuestionVisible}
      order by question_id limit ${linePageSize}`,
  },
  {
    file: 'followed-questions',
    about: 'the questions you follow',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select question_id as key, question_id as "questionId", created_at as "followedAt" from question_follow
      where member_id = ${memberId} and ${afterKey('question_id', after)} and ${isQuestionVisible}
      order by question_id limit ${linePageSize}`,
  },
  {
    file: 'followed-tags',
    about: 'the tags you follow',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select tag_id as key, tag.name as tag, created_at as "followedAt" from tag_follow join tag on tag.id = tag_id
      where member_id = ${memberId} and ${afterKey('tag_id', after)} order by tag_id limit ${linePageSize}`,
  },
  {
    file: 'bookmarks',
    about: 'your bookmarks, with notes and lists; `answerId` is null if you bookmarked the question',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, question_id as "questionId", answer_id as "answerId", note, created_at as "savedAt", array(
        select name from bookmark_list_item join bookmark_list on bookmark_list.id = list_id
        where bookmark_id = bookmark.id order by name
      ) as lists
      from bookmark
      where member_id = ${memberId} and ${afterKey('id', after)} and ${isQuestionVisible}
        and (answer_id is null or exists (select from answer where id = answer_id))
      order by id limit ${linePageSize}`,
  },
  {
    file: 'bookmark-lists',
    about: 'your bookmark lists, including empty ones',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, name, created_at as "createdAt" from bookmark_list
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'muted-questions',
    about: 'the questions you muted',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select question_id as key, question_id as "questionId", created_at as "mutedAt" from question_mute
      where member_id = ${memberId} and ${afterKey('question_id', after)} and ${isQuestionVisible}
      order by question_id limit ${linePageSize}`,
  },
  {
    file: 'muted-tags',
    about: 'the tags you muted',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select tag_id as key, tag.name as tag, created_at as "mutedAt" from tag_mute join tag on tag.id = tag_id
      where member_id = ${memberId} and ${afterKey('tag_id', after)} order by tag_id limit ${linePageSize}`,
  },
  {
    file: 'drafts',
    about: 'your drafts; `target` is the form, such as `answer:7` for an answer to question 7',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select target as key, target, fields, updated_at as "updatedAt" from draft
      where member_id = ${memberId} and fields is not null and ${afterKey('target', after)} order by target limit ${textPageSize}`,
  },
  {
    file: 'notifications',
    about: 'your notifications, with their kind and the ids of the posts; `readAt` is null if unread',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, kind, question_id as "questionId", answer_id as "answerId", reply_id as "replyId",
        created_at as "createdAt", read_at as "readAt"
      from notification where recipient_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'notification-preferences',
    about: 'your notification preferences; those not listed have the default',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select category as key, category, in_app as "inApp", email, push from notification_preference
      where member_id = ${memberId} and ${afterKey('category', after)} order by category limit ${linePageSize}`,
  },
  {
    file: 'sessions',
    about: 'your sessions',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, user_agent as "browser", created_at as "signedInAt", expires_at as "expiresAt" from session
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'registration',
    about: 'the network you registered from, which is stored for 30 days',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select member_id as key, network, registered_at as "registeredAt", pending_step as "pendingStep" from registration
      where member_id = ${memberId} and ${afterKey('member_id', after)}`,
  },
  {
    file: 'passkeys',
    about: 'your passkeys: their names, when they were added and last used',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, name, created_at as "createdAt", last_used_at as "lastUsedAt" from passkey
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'two-factor',
    about: 'when you enabled two-factor authentication; empty if it is off',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select member_id as key, created_at as "enabledAt", (
        select count(*) from recovery_code where recovery_code.member_id = two_factor.member_id
      ) as "recoveryCodesLeft"
      from two_factor where member_id = ${memberId} and ${afterKey('member_id', after)}`,
  },
  {
    file: 'push-devices',
    about: 'your browsers with push messages, by their address at the push service',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, endpoint, created_at as "createdAt" from push_subscription
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'sign-in-methods',
    about:
      'your sign-in methods; `credential` is your password, of which only a hash is stored (not included)',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, provider_id as "provider", created_at as "createdAt" from account
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'security-events',
    about: 'security events of your account in the last 90 days',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, event, created_at as "at" from security_event
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'reports',
    about: 'your reports of posts; `outcome` is null until a moderator has decided',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, post_kind as "post", post_id as "postId", reason, note, created_at as "reportedAt", outcome
      from report where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'moderator-messages',
    about: 'messages from moderators, such as warnings',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, kind, reason, until, title, created_at as "createdAt", seen_at as "seenAt"
      from moderator_message where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'hidden-posts',
    about: 'your posts that moderators have hidden or deleted, with the reason',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, post_kind as "post", post_id as "postId", status, reason, title, content, created_at as "at"
      from hidden_post where author_id = ${memberId} and ${afterKey('id', after)} order by id limit ${textPageSize}`,
  },
];

/** The member's own row and settings. */
export const selectOwnMember = (memberId: number) => sql<Record<string, unknown>>`
  select id, display_name as "displayName", email, email_verified as "emailConfirmed", bio, show_email as "showEmail",
    greatest(0, reputation) as reputation, questions_count as "questionsCount", answers_count as "answersCount",
    (select time_zone from email_schedule where member_id = member.id) as "timeZone",
    (select email from email_link where member_id = member.id and purpose = 'change_email' and expires_at > now()
      limit 1) as "pendingEmail",
    created_at as "createdAt", updated_at as "updatedAt"
  from member where id = ${memberId}`;
