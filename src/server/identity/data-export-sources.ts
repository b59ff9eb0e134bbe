import { type RawBuilder, sql } from 'kysely';

/** Rows of a list, those behind the key `after`, in the order of their keys. */
export type ExportSource = {
  /** The name of the file, without its ending. */
  file: string;
  /** What it holds, for the README of the download. */
  about: string;
  /** Rows that are read at once: fewer where they hold whole texts. */
  pageSize: number;
  rows: (memberId: number, after: string | number | null) => RawBuilder<ExportRow>;
};

export type ExportRow = { key: string | number } & Record<string, unknown>;

const textPageSize = 50;
const linePageSize = 5000;

/** Behind the last key seen; from the beginning where there is none. */
const afterKey = (column: string, after: string | number | null) =>
  after === null ? sql`true` : sql`${sql.ref(column)} > ${after}`;

const selectRevisions = (column: 'question_id' | 'answer_id' | 'reply_id') => sql`
  (select coalesce(json_agg(json_strip_nulls(json_build_object(
      'title', title, 'content', content, 'tags', tags, 'createdAt', created_at
    )) order by id), '[]') from revision where ${sql.ref(column)} = post.id) as "earlierVersions"`;

/** What members have written. */
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
    about: 'your answers, likewise; `questionId` is the question they answer',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, id, question_id as "questionId", content, created_at as "createdAt", edited_at as "editedAt",
        upvotes, downvotes, ${selectRevisions('answer_id')}
      from answer post where author_id = ${memberId} and ${afterKey('id', after)} order by id limit ${textPageSize}`,
  },
  replies: {
    file: 'replies',
    about:
      'your replies, likewise; `answerId` is null for a comment on a question, `parentReplyId` is the reply you answered',
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
  about: `your votes on ${plural}, named by their number`,
  pageSize: linePageSize,
  rows: (memberId, after) => sql<ExportRow>`
    select ${sql.ref(`${kind}_id`)} as key, ${sql.ref(`${kind}_id`)} as ${sql.ref(`${kind}Id`)}, direction,
      created_at as "votedAt"
    from vote
    where member_id = ${memberId} and ${sql.ref(`${kind}_id`)} is not null and ${afterKey(`${kind}_id`, after)}
    order by ${sql.ref(`${kind}_id`)} limit ${linePageSize}`,
});

/** Everything else, a file each. */
export const listSources: readonly ExportSource[] = [
  createVoteSource('question', 'questions'),
  createVoteSource('answer', 'answers'),
  createVoteSource('reply', 'replies'),
  {
    file: 'views',
    about: 'the questions you opened, when first and when last',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select question_id as key, question_id as "questionId", viewed_at as "viewedAt",
        coalesce(visited_at, viewed_at) as "lastViewedAt"
      from question_view where member_id = ${memberId} and ${afterKey('question_id', after)}
      order by question_id limit ${linePageSize}`,
  },
  {
    file: 'followed-questions',
    about: 'the questions you follow',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select question_id as key, question_id as "questionId", created_at as "followedAt" from question_follow
      where member_id = ${memberId} and ${afterKey('question_id', after)} order by question_id limit ${linePageSize}`,
  },
  {
    file: 'followed-topics',
    about: 'the topics you follow',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select tag_id as key, tag.name as topic, created_at as "followedAt" from tag_follow join tag on tag.id = tag_id
      where member_id = ${memberId} and ${afterKey('tag_id', after)} order by tag_id limit ${linePageSize}`,
  },
  {
    file: 'bookmarks',
    about:
      'what you keep, with your notes and the lists it is in; `answerId` is null where it is the question itself',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, question_id as "questionId", answer_id as "answerId", note, created_at as "savedAt", array(
        select name from bookmark_list_item join bookmark_list on bookmark_list.id = list_id
        where bookmark_id = bookmark.id order by name
      ) as lists
      from bookmark where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'bookmark-lists',
    about: 'the lists you made, the empty ones as well',
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
      where member_id = ${memberId} and ${afterKey('question_id', after)} order by question_id limit ${linePageSize}`,
  },
  {
    file: 'muted-topics',
    about: 'the topics you muted',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select tag_id as key, tag.name as topic, created_at as "mutedAt" from tag_mute join tag on tag.id = tag_id
      where member_id = ${memberId} and ${afterKey('tag_id', after)} order by tag_id limit ${linePageSize}`,
  },
  {
    file: 'drafts',
    about: 'what you began to write; `target` says where, such as `answer:7` for an answer to question 7',
    pageSize: textPageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select target as key, target, fields, updated_at as "updatedAt" from draft
      where member_id = ${memberId} and fields is not null and ${afterKey('target', after)} order by target limit ${textPageSize}`,
  },
  {
    file: 'notifications',
    about:
      'what you were told, by the kind of news and the numbers of the posts; `readAt` is null for what is unread',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, kind, question_id as "questionId", answer_id as "answerId", reply_id as "replyId",
        created_at as "createdAt", read_at as "readAt"
      from notification where recipient_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'notification-preferences',
    about: 'what you chose to hear of, and how; what is not here is as it is at first',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select category as key, category, in_app as "inApp", email, push from notification_preference
      where member_id = ${memberId} and ${afterKey('category', after)} order by category limit ${linePageSize}`,
  },
  {
    file: 'sessions',
    about: 'where you are signed in',
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
    about: 'since when a code is asked for as well as your password; empty where none is',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select member_id as key, created_at as "enabledAt", (
        select count(*) from recovery_code where recovery_code.member_id = two_factor.member_id
      ) as "recoveryCodesLeft"
      from two_factor where member_id = ${memberId} and ${afterKey('member_id', after)}`,
  },
  {
    file: 'push-devices',
    about: 'the browsers that are pushed to, by the address at their push service',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, endpoint, created_at as "createdAt" from push_subscription
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'sign-in-methods',
    about: 'how you sign in; `credential` is your password, which is stored as a hash alone and not in here',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, provider_id as "provider", created_at as "createdAt" from account
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'security-events',
    about: 'what happened to the safety of your account in the last 90 days',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, event, created_at as "at" from security_event
      where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'reports',
    about: 'the posts you reported, and what became of it; `outcome` is null until a moderator has decided',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, post_kind as "post", post_id as "postId", reason, note, created_at as "reportedAt", outcome
      from report where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'moderator-messages',
    about: 'what the operators told you, such as warnings',
    pageSize: linePageSize,
    rows: (memberId, after) => sql<ExportRow>`
      select id as key, kind, reason, until, title, created_at as "createdAt", seen_at as "seenAt"
      from moderator_message where member_id = ${memberId} and ${afterKey('id', after)} order by id limit ${linePageSize}`,
  },
  {
    file: 'hidden-posts',
    about: 'your posts that the operators have hidden or deleted, and why',
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
    (select email from account_token where member_id = member.id and purpose = 'address' and expires_at > now()
      limit 1) as "pendingEmail",
    created_at as "createdAt", updated_at as "updatedAt"
  from member where id = ${memberId}`;
