import { type RawBuilder, sql } from 'kysely';
import { isTagVisible, messageTitle, ownHiddenPostTexts } from '#server/posts/index.ts';

/** A list of the export, read in the order of its keys. */
export type ExportSource = {
  /** File name without extension. */
  file: string;
  /** Description for the README of the export. */
  about: string;
  /** Rows per query: fewer if they contain whole texts. */
  pageSize: number;
  /** Selects rows of a member after the key `after`. Each has its key as `key`. */
  rows: (memberId: number, after: string | number | null) => RawBuilder<ExportRow>;
};

export type ExportRow = { key: string | number } & Record<string, unknown>;

type ListSource = {
  about: string;
  /** The column that is unique among a member's rows. Default: `id`. */
  key?: string;
  /** What the file contains, as SQL. */
  select: RawBuilder<unknown>;
  /** The table, with joins. */
  from: RawBuilder<unknown>;
  /** The column with the member's id. Default: `member_id`. */
  owner?: string;
  where?: RawBuilder<unknown>;
  hasTexts?: boolean;
};

function createSource(file: string, source: ListSource): ExportSource {
  const { about, select, from, where = sql`true`, hasTexts = false } = source;
  const [key, owner] = [sql.ref(source.key ?? 'id'), sql.ref(source.owner ?? 'member_id')];
  const pageSize = hasTexts ? 50 : 5_000;
  const rows: ExportSource['rows'] = (memberId, after) => sql`
    select ${key} as key, ${select} from ${from}
    where ${owner} = ${memberId} and ${where} and ${after === null ? sql`true` : sql`${key} > ${after}`}
    order by ${key} limit ${pageSize}`;
  return { file, about, pageSize, rows };
}

const times = sql`created_at as "createdAt", edited_at as "editedAt", upvotes, downvotes`;

const isQuestionVisible = sql`exists (select from question where id = question_id)`;

/** @param post the column with the id of the post */
const selectRevisions = (column: 'question_id' | 'answer_id' | 'reply_id', post = 'post.id') => sql`
  (select coalesce(json_agg(json_strip_nulls(json_build_object(
      'title', title, 'content', content, 'tags', tags, 'createdAt', created_at
    )) order by id), '[]') from revision where ${sql.ref(column)} = ${sql.ref(post)})`;

const selectTags = (table: 'question_tag' | 'base_question_tag', question: string) => sql`
  array(
    select tag.name from ${sql.table(table)} join tag on tag.id = tag_id
    where question_id = ${sql.ref(question)} order by position
  )`;

/**
 * A suggestion contains the whole text of another member's post, which may be hidden or deleted now. PostgreSQL would
 * read all posts for `exists` in an expression.
 */
const isSuggestionTextVisible = sql`coalesce(
  (select true from question where id = edit_suggestion.question_id),
  (select true from answer where id = edit_suggestion.answer_id),
  (select true from reply where id = edit_suggestion.reply_id and deleted_at is null),
  false)`;

/** The member's posts. */
export const postSources = {
  questions: createSource('questions', {
    about: 'your questions, with their earlier versions, oldest first',
    select: sql`id, title, content, ${times}, views, answer_count as "answerCount",
      accepted_answer_id as "acceptedAnswerId",
      ${selectTags('question_tag', 'post.id')} as tags, ${selectRevisions('question_id')} as "earlierVersions"`,
    from: sql`question post`,
    owner: 'author_id',
    hasTexts: true,
  }),
  answers: createSource('answers', {
    about: 'your answers, with their earlier versions; `questionId` is the question',
    select: sql`id, question_id as "questionId", content, ${times}, ${selectRevisions('answer_id')} as "earlierVersions"`,
    from: sql`answer post`,
    owner: 'author_id',
    hasTexts: true,
  }),
  replies: createSource('replies', {
    about:
      'your replies, with their earlier versions; `answerId` is null for a comment on a question, `parentReplyId` is the reply you replied to',
    select: sql`id, question_id as "questionId", answer_id as "answerId", parent_reply_id as "parentReplyId", content,
      ${times}, ${selectRevisions('reply_id')} as "earlierVersions"`,
    from: sql`reply post`,
    owner: 'author_id',
    where: sql`deleted_at is null`,
    hasTexts: true,
  }),
} as const;

const createVoteSource = (kind: 'question' | 'answer' | 'reply', plural: string) =>
  createSource(`votes-on-${plural}`, {
    about: `your votes on ${plural}, by their ids`,
    key: `${kind}_id`,
    select: sql`${sql.ref(`${kind}_id`)} as ${sql.ref(`${kind}Id`)}, direction, created_at as "votedAt"`,
    from: sql`vote`,
    where: sql`exists (select from ${sql.table(kind)} where id = ${sql.ref(`vote.${kind}_id`)})`,
  });

/** Texts that the member cannot read anywhere else. */
const createHiddenBelowSource = (kind: 'answer' | 'reply', plural: string) =>
  createSource(`hidden-${plural}`, {
    about: `your ${plural} below a post that moderators have hidden or deleted, with their earlier versions`,
    select: sql`id, question_id as "questionId",
      ${kind === 'reply' ? sql`answer_id as "answerId", parent_reply_id as "parentReplyId",` : sql``}
      content, created_at as "createdAt", ${selectRevisions(`${kind}_id`)} as "earlierVersions"`,
    from: sql`${sql.table(`base_${kind}`)} post`,
    owner: 'author_id',
    where: sql`hidden_by is not null
      and not exists (select from hidden_post where id = hidden_by and (post_kind, post_id) = (${kind}, post.id))
      ${kind === 'reply' ? sql`and deleted_at is null` : sql``}`,
    hasTexts: true,
  });

/** The largest file of each picture, for `pictures/<name>.webp`. */
export const uploadSource = createSource('pictures', {
  about: 'your pictures and your avatar, which are in `pictures/`',
  select: sql`name, kind, width, height, uploaded_at as "uploadedAt"`,
  from: sql`upload`,
});

/** Everything else, one file each. */
export const listSources: readonly ExportSource[] = [
  createVoteSource('question', 'questions'),
  createVoteSource('answer', 'answers'),
  createVoteSource('reply', 'replies'),
  createSource('views', {
    about: 'the questions you viewed, with the first and the last time',
    key: 'question_id',
    select: sql`question_id as "questionId", viewed_at as "viewedAt", coalesce(visited_at, viewed_at) as "lastViewedAt"`,
    from: sql`question_view`,
    where: isQuestionVisible,
  }),
  createSource('followed-questions', {
    about: 'the questions you follow',
    key: 'question_id',
    select: sql`question_id as "questionId", created_at as "followedAt"`,
    from: sql`question_follow`,
    where: isQuestionVisible,
  }),
  createSource('followed-tags', {
    about: 'the tags you follow',
    key: 'tag_id',
    select: sql`tag.name as tag, created_at as "followedAt"`,
    from: sql`tag_follow join tag on tag.id = tag_id`,
    where: isTagVisible,
  }),
  createSource('bookmarks', {
    about: 'your bookmarks, with notes and lists; `answerId` is null if you bookmarked the question',
    select: sql`question_id as "questionId", answer_id as "answerId", note, created_at as "savedAt", array(
      select name from bookmark_list_item join bookmark_list on bookmark_list.id = list_id
      where bookmark_id = bookmark.id order by name
    ) as lists`,
    from: sql`bookmark`,
    where: sql`${isQuestionVisible} and (answer_id is null or exists (select from answer where id = answer_id))`,
  }),
  createSource('bookmark-lists', {
    about: 'your bookmark lists, including empty ones',
    select: sql`name, created_at as "createdAt"`,
    from: sql`bookmark_list`,
  }),
  createSource('muted-questions', {
    about: 'the questions you muted',
    key: 'question_id',
    select: sql`question_id as "questionId", created_at as "mutedAt"`,
    from: sql`question_mute`,
    where: isQuestionVisible,
  }),
  createSource('muted-tags', {
    about: 'the tags you muted',
    key: 'tag_id',
    select: sql`tag.name as tag, created_at as "mutedAt"`,
    from: sql`tag_mute join tag on tag.id = tag_id`,
    where: isTagVisible,
  }),
  createSource('drafts', {
    about: 'your drafts; `target` is the form, such as `answer:7` for an answer to question 7',
    key: 'target',
    select: sql`target, fields, updated_at as "updatedAt"`,
    from: sql`draft`,
    where: sql`fields is not null`,
    hasTexts: true,
  }),
  createSource('notifications', {
    about: 'your notifications, with their kind and the ids of the posts; `readAt` is null if unread',
    select: sql`kind, question_id as "questionId", answer_id as "answerId", reply_id as "replyId",
      created_at as "createdAt", read_at as "readAt"`,
    from: sql`notification`,
    owner: 'recipient_id',
  }),
  createSource('notification-preferences', {
    about: 'your notification preferences; those not listed have the default',
    key: 'category',
    select: sql`category, in_app as "inApp", email, push`,
    from: sql`notification_preference`,
  }),
  createSource('sessions', {
    about: 'your sessions',
    select: sql`user_agent as "browser", created_at as "signedInAt", expires_at as "expiresAt"`,
    from: sql`session`,
  }),
  createSource('sign-ins', {
    about: 'your sign-ins of the last weeks, with the network address and the browser',
    select: sql`created_at as "at", method, address, user_agent as "browser"`,
    from: sql`sign_in`,
  }),
  createSource('registration', {
    about: 'the network you registered from, which is stored for 30 days',
    key: 'member_id',
    select: sql`network, registered_at as "registeredAt", pending_step as "pendingStep"`,
    from: sql`registration`,
  }),
  createSource('invitation', {
    about: 'the invitation you registered with, if there was one',
    key: 'member_id',
    select: sql`created_at as "invitedAt", invitation.created_by as "invitedBy"`,
    from: sql`invited_member join invitation on invitation.id = invitation_id`,
  }),
  createSource('sign-up-answers', {
    about: 'your answers to the questions of the registration',
    key: 'position',
    select: sql`question, answer`,
    from: sql`sign_up_answer`,
  }),
  createSource('application', {
    about: 'the decision about your account, if moderators refused it',
    key: 'member_id',
    select: sql`refused_at as "refusedAt", reason`,
    from: sql`membership_application`,
    where: sql`refused_at is not null`,
  }),
  createSource('passkeys', {
    about: 'your passkeys: their names, when they were added and last used',
    select: sql`name, created_at as "createdAt", last_used_at as "lastUsedAt"`,
    from: sql`passkey`,
  }),
  createSource('api-tokens', {
    about: 'your API tokens: their names, scopes, when they were created, expire and were last used',
    select: sql`name, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"`,
    from: sql`api_token`,
  }),
  createSource('two-factor', {
    about: 'when you enabled two-factor authentication; empty if it is off',
    key: 'member_id',
    select: sql`created_at as "enabledAt", (
      select count(*) from recovery_code where recovery_code.member_id = two_factor.member_id
    ) as "recoveryCodesLeft"`,
    from: sql`two_factor`,
  }),
  createSource('push-devices', {
    about: 'your browsers with push messages, by their address at the push service',
    select: sql`endpoint, created_at as "createdAt"`,
    from: sql`push_subscription`,
  }),
  createSource('sign-in-methods', {
    about:
      'your sign-in methods; `credential` is your password, of which only a hash is stored (not included)',
    select: sql`provider_id as "provider", created_at as "createdAt"`,
    from: sql`account`,
  }),
  createSource('security-events', {
    about: 'security events of your account in the last 90 days',
    select: sql`event, created_at as "at"`,
    from: sql`security_event`,
  }),
  createSource('email-bounces', {
    about: 'emails to you that came back in the last 90 days',
    select: sql`email, reason, created_at as "at"`,
    from: sql`email_bounce`,
  }),
  createSource('reports', {
    about: 'your reports of posts; `outcome` is null until a moderator has decided',
    select: sql`post_kind as "post", post_id as "postId", reason, note, created_at as "reportedAt", outcome`,
    from: sql`report`,
  }),
  createSource('moderator-messages', {
    about: 'messages from moderators, such as warnings',
    select: sql`kind, reason, until, ${messageTitle}, created_at as "createdAt", seen_at as "seenAt"`,
    from: sql`moderator_message`,
  }),
  createSource('hidden-posts', {
    about: 'your posts that moderators have hidden or deleted, with the reason and their earlier versions',
    select: sql`post_kind as "post", post_id as "postId", question_id as "questionId",
      (select answer_id from base_reply where id = post_id and post_kind = 'reply') as "answerId",
      (select parent_reply_id from base_reply where id = post_id and post_kind = 'reply') as "parentReplyId",
      status, reason, objection, ${ownHiddenPostTexts},
      case when post_kind = 'question' then ${selectTags('base_question_tag', 'post_id')} end as tags,
      case post_kind
        when 'question' then ${selectRevisions('question_id', 'post_id')}
        when 'answer' then ${selectRevisions('answer_id', 'post_id')}
        else ${selectRevisions('reply_id', 'post_id')}
      end as "earlierVersions", created_at as "at"`,
    from: sql`hidden_post`,
    owner: 'author_id',
    hasTexts: true,
  }),
  createHiddenBelowSource('answer', 'answers'),
  createHiddenBelowSource('reply', 'replies'),
  createSource('votes-to-close', {
    about: 'your votes to close questions as duplicates; `duplicateOf` is null for a vote to reopen',
    key: 'question_id',
    select: sql`question_id as "questionId", duplicate_of as "duplicateOf", created_at as "votedAt"`,
    from: sql`close_vote`,
    where: isQuestionVisible,
  }),
  createSource('closed-questions', {
    about: 'the questions that you closed as duplicates with others',
    key: 'question_id',
    select: sql`question_id as "questionId"`,
    from: sql`question_closer`,
    where: isQuestionVisible,
  }),
  createSource('profile-claims', {
    about: 'the imported profiles that you claim as yours',
    select: sql`profile_id as "profileId", token, created_at as "at", message, requested_at as "requestedAt",
      decline_reason as "declineReason"`,
    from: sql`profile_claim`,
    hasTexts: true,
  }),
  createSource('imported-badges', {
    about: 'your badges on sites that were imported here, from profiles that are yours',
    select: sql`(select site from import_source where import_source.id = source_id) as "site", name, class, awards,
      first_at as "firstAt", last_at as "lastAt"`,
    from: sql`imported_badge`,
  }),
  createSource('suggested-edits', {
    about:
      'your edits to posts of others, with what became of them; without texts if the post is hidden or deleted',
    select: sql`question_id as "questionId", answer_id as "answerId", reply_id as "replyId", summary,
      case when ${isSuggestionTextVisible} then title end as title,
      case when ${isSuggestionTextVisible} then tags end as tags,
      case when ${isSuggestionTextVisible} then content end as content, status, reason as "rejectionReason", created_at as "at"`,
    from: sql`edit_suggestion`,
    hasTexts: true,
  }),
  createSource('proposed-topics', {
    about: 'the new topics that you proposed, with what became of them',
    select: sql`question_id as "questionId", reason, created_at as "at",
      (select name from tag_proposal where id = proposal_id) as "name",
      (select status from tag_proposal where id = proposal_id) as "status",
      (select reason from tag_proposal where id = proposal_id) as "rejectionReason"`,
    from: sql`tag_proposal_question`,
    where: isQuestionVisible,
  }),
  createSource('held-posts', {
    about: 'your posts that wait for a moderator, and those that were rejected, with the reason',
    select: sql`post_kind as "post", title, tags, proposed_tags as "proposedTopics", content, question_id as "questionId", answer_id as "answerId",
      parent_reply_id as "parentReplyId", rejection_reason as "rejectionReason", created_at as "at"`,
    from: sql`held_post`,
    hasTexts: true,
  }),
];

/** The member's own row and settings. */
export const selectOwnMember = (memberId: number) => sql<Record<string, unknown>>`
  select id, display_name as "displayName", email, email_verified as "emailConfirmed", bio, location, website, show_email as "showEmail", language,
    email_off_at as "emailsOffSince", email_off_reason as "emailsOffReason",
    greatest(0, reputation) as reputation, questions_count as "questionsCount", answers_count as "answersCount",
    (select time_zone from email_schedule where member_id = member.id) as "timeZone",
    (select email from email_link where member_id = member.id and purpose = 'change_email' and expires_at > now()
      limit 1) as "pendingEmail",
    created_at as "createdAt", updated_at as "updatedAt", application
  from member where id = ${memberId}`;
