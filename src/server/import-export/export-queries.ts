import type { ClientBase } from 'pg';
import { selectVisibleTags } from '#server/posts/index.ts';
import type { LineKind } from './jsonl-format.ts';
import { readBatches } from './read-batches.ts';
import { redirectTargets } from './redirect-targets.ts';

/** Rows fetched at a time. A text has at most 30,000 characters, imported ones can be longer. */
const rowsPerFetch = 500;

/**
 * Begins a transaction that reads one state of the community, for as long as it takes. It has no transaction id, so it
 * does not delay events.
 */
export async function beginSnapshot(client: ClientBase): Promise<void> {
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0;
    set timezone = 'UTC';
    begin isolation level repeatable read read only;`);
}

export async function endSnapshot(client: ClientBase): Promise<void> {
  await client.query(`
    rollback;
    reset statement_timeout;
    reset idle_in_transaction_session_timeout;
    reset timezone;`);
}

/** Whether an archive has posts or texts of tags without a licence: those that were written here. */
export async function hasTextsWithoutLicense(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`
    select exists (select from question where source_license is null)
      or exists (select from answer where source_license is null)
      or exists (select from reply where source_license is null and deleted_at is null)
      or exists (
        select from (${selectVisibleTags}) tag
        cross join lateral (values ('description', tag.description), ('about', tag.about)) text (kind, content)
        where content is not null
          and exists (select from question_tag join question on question.id = question_id where tag_id = tag.id)
          and not exists (
            select from imported_tag_text imported
            where imported.tag_id = tag.id and imported.kind = text.kind and not is_removed)) as found`);
  return rows[0]?.found === true;
}

/** Counts the rows of each kind. */
export async function countExported(
  client: ClientBase,
  kinds: readonly LineKind[],
): Promise<Map<LineKind, number>> {
  const counts = new Map<LineKind, number>();
  for (const kind of kinds) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) as count from (${sources[kind].rows}) row`,
    );
    counts.set(kind, Number(rows[0]?.count));
  }
  return counts;
}

/**
 * Reads the rows of a kind in batches, each row as one line of JSON.
 * @param options.isArchive for an archive like those of Stack Exchange
 */
export async function* readExported(
  client: ClientBase,
  kind: LineKind,
  { withPrivateData, isArchive }: { withPrivateData: boolean; isArchive: boolean },
): AsyncGenerator<string[]> {
  const { rows: source, columns, privateColumns = {}, archiveColumns = {} } = sources[kind];
  const all = Object.entries({
    ...columns,
    ...(withPrivateData && privateColumns),
    ...(isArchive && archiveColumns),
  });
  const json = all.map(([name, value]) => `'${name}', ${value}`).join(', ');
  const select = `
    select json_strip_nulls(json_build_object(${json}))::text as line from (${source}) row order by id`;
  for await (const rows of readBatches<{ line: string }>(client, select, rowsPerFetch))
    yield rows.map(({ line }) => line);
}

/** One file of a picture, as served at `/uploads/<name>/<width>x<height>.webp`. */
export type ExportedPicture = {
  name: string;
  width: number;
  height: number;
  /** Null: it is in the object store, with this key. */
  content: Buffer | null;
  key: string | null;
};

/** Reads the files of pictures, one at a time. */
export async function* readPictures(client: ClientBase): AsyncGenerator<ExportedPicture> {
  const select = `
    select name, file.width, file.height, content, object_key as key
    from (${sources.pictures.rows}) row join upload_file file on file.upload_id = row.id`;
  for await (const files of readBatches<ExportedPicture>(client, select, 1)) yield* files;
}

/** The name of the community, as admins have set it. */
export async function readSiteName(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `select value #>> '{}' as name from site_setting where name = 'siteName'`,
  );
  return rows[0]?.name ?? 'Parley';
}

/**
 * `rows`: the rows of a kind with a column `id`, from the views, which leave out hidden posts. `columns`: their names in
 * the export with SQL for their values.
 */
type Source = {
  rows: string;
  columns: Readonly<Record<string, string>>;
  privateColumns?: Readonly<Record<string, string>>;
  /** Columns that only archives like those of Stack Exchange need. */
  archiveColumns?: Readonly<Record<string, string>>;
};

const author = {
  authorId: 'author',
  authorName: 'coalesce(author_name, imported_author_name)',
};

/** A deleted account is left out, its posts are not. */
const joinAuthor = `left join (
  select id as author, display_name as author_name from member where deleted_at is null
) author on author = author_id`;

/** Posts that were imported: where from, and under which licence. */
const origin = {
  source: `case when source_id is not null then json_build_object(
    'site', (select site from import_source where id = source_id), 'id', source_key, 'license', source_license
  ) end`,
};

/** Imported votes are numbers, not rows; the other votes are in `votes`. */
const counts = {
  upvotes: 'upvotes',
  downvotes: 'downvotes',
  importedUpvotes: 'nullif(imported_upvotes, 0)',
  importedDownvotes: 'nullif(imported_downvotes, 0)',
};
const times = { createdAt: 'created_at', editedAt: 'edited_at' };

/** The post that a row of another kind belongs to. */
const post = {
  post: `case when reply_id is not null then 'reply' when answer_id is not null then 'answer' else 'question' end`,
  postId: 'coalesce(reply_id, answer_id, question_id)',
};

/** Only rows about posts that are visible. */
const aboutVisiblePosts = `
  (question_id is null or question_id in (select id from question))
  and (answer_id is null or answer_id in (select id from answer))
  and (reply_id is null or reply_id in (select id from reply where deleted_at is null))`;

/** SQL that escapes what a decoded path cannot have in an address. */
function escapeInPath(path: string): string {
  const escapes = { '%': '%25', '#': '%23', '?': '%3F', '\\': '%5C', ' ': '%20' };
  return Object.entries(escapes).reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, path);
}

/** Where an imported text of a tag is from. */
const tagTextSource = (kind: 'description' | 'about') => `(
  select json_strip_nulls(json_build_object('site', site, 'id', source_key, 'url', 'https://' || site || '/' || path,
    'license', imported.license,
    'adapted', case when content_hash is distinct from md5(row.${kind})::uuid then true end))
  from imported_tag_text imported join import_source on import_source.id = source_id
  where tag_id = row.id and kind = '${kind}' and not is_removed and row.${kind} is not null
)`;

/** As on the profile, which does not show the texts of an account whose activity is removed. */
const unlessRemoved = (text: string) => `case when not exists (
  select from activity_removal where member_id = row.id and state <> 'restored'
) then ${text} end`;

const sources: Readonly<Record<LineKind, Source>> = {
  members: {
    rows: 'select * from member where deleted_at is null and application is null',
    columns: {
      id: 'id',
      name: 'display_name',
      bio: unlessRemoved('bio'),
      location: unlessRemoved('location'),
      website: unlessRemoved('website'),
      reputation: 'reputation',
      role: `nullif(role, 'member')`,
      avatar: 'avatar',
      isBot: 'nullif(is_bot, false)',
      createdAt: 'created_at',
      source: `case when source_id is not null then json_build_object(
        'site', (select site from import_source where id = source_id), 'id', source_key
      ) end`,
    },
    privateColumns: {
      email: 'email',
      emailVerified: 'case when email is not null then email_verified end',
      showEmail: 'show_email',
      suspendedUntil: 'suspended_until',
      suspensionReason: 'suspension_reason',
      identities: `(select json_agg(json_build_object('issuer', issuer, 'subject', subject) order by issuer, subject)
        from imported_identity where member_id = row.id)`,
      claimed: `(select json_agg(json_build_object('site', site, 'id', profile.source_key) order by site, profile.source_key)
        from account_merge merge join member profile on profile.id = merge.member_id
        join import_source on import_source.id = profile.source_id where merge.into_id = row.id)`,
    },
  },
  badges: {
    rows: 'select * from imported_badge where member_id in (select id from member where deleted_at is null)',
    columns: {
      memberId: 'member_id',
      name: 'name',
      class: 'class',
      tagBased: 'case when is_tag_based then true end',
      awards: 'awards',
      firstAt: 'first_at',
      lastAt: 'last_at',
      source: `json_build_object('site', (select site from import_source where id = source_id), 'id', source_key)`,
    },
  },
  tags: {
    rows: selectVisibleTags,
    columns: {
      id: 'id',
      name: 'name',
      description: 'description',
      about: 'about',
      descriptionSource: tagTextSource('description'),
      aboutSource: tagTextSource('about'),
      synonymOf: '(select main.name from tag main where main.id = row.synonym_of)',
    },
    archiveColumns: {
      firstQuestionAt: `case when coalesce(description, about) is not null then (
        select question_created_at from question_tag join question on question.id = question_id
        where tag_id = row.id order by question_created_at limit 1
      ) end`,
    },
  },
  questions: {
    rows: `select question.*, author, author_name from question ${joinAuthor}`,
    columns: {
      id: 'id',
      ...author,
      title: 'title',
      content: 'content',
      tags: `array(
        select tag.name from question_tag join tag on tag.id = question_tag.tag_id where question_id = row.id order by position
      )`,
      ...counts,
      views: 'views',
      acceptedAnswerId: 'accepted_answer_id',
      duplicateOf: '(select other.id from question other where other.id = row.duplicate_of)',
      lockReason: 'lock_reason',
      closedReason: '(select reason from question_closing where question_id = row.id)',
      closedAt: '(select closed_at from question_closing where question_id = row.id)',
      closedBy: `(select json_agg(closer.id order by closer.id)
        from question_closer join member closer on closer.id = member_id and deleted_at is null
        where question_id = row.id)`,
      communityWikiAt: '(select since from imported_wiki where question_id = row.id)',
      bounties: `(select json_agg(json_build_object('amount', amount, 'day', day) order by day, amount)
        from imported_bounty where question_id = row.id)`,
      ...times,
      ...origin,
    },
  },
  answers: {
    rows: `select answer.*, author, author_name from answer ${joinAuthor}`,
    columns: {
      id: 'id',
      questionId: 'question_id',
      ...author,
      content: 'content',
      communityWikiAt: '(select since from imported_wiki where answer_id = row.id)',
      bounties: `(select json_agg(json_build_object('amount', amount, 'day', day) order by day, amount)
        from imported_bounty where answer_id = row.id)`,
      ...counts,
      ...times,
      ...origin,
    },
  },
  replies: {
    rows: `select reply.*, author, author_name from reply ${joinAuthor}`,
    columns: {
      id: 'id',
      questionId: 'question_id',
      answerId: 'answer_id',
      parentReplyId: 'parent_reply_id',
      // A reply that was deleted, but has replies.
      deleted: 'case when deleted_at is not null then true end',
      authorId: 'case when deleted_at is null then author end',
      authorName: 'case when deleted_at is null then coalesce(author_name, imported_author_name) end',
      content: 'case when deleted_at is null then content end',
      ...counts,
      ...times,
      ...origin,
    },
  },
  revisions: {
    // The versions of a post together, in order. The editor is that of the edit that replaced a version, of an import or a
    // suggestion.
    rows: `
      select revision.*, editor.id as editor, coalesce(editor.display_name, imported_editor_name) as editor_name,
        coalesce(suggestion.summary, imported_summary) as summary, approver.id as approver
      from (
        select row_number() over (order by question_id, answer_id, reply_id, number) as id, question_id, answer_id,
          reply_id, number, title, content, tags, created_at, replaced_at, replaced_by_suggestion, imported_editor_id,
          imported_editor_name, imported_approver_id, imported_summary, is_imported
        from revision where ${aboutVisiblePosts}
      ) revision
      left join edit_suggestion suggestion on suggestion.id = replaced_by_suggestion
      left join member editor on editor.id = coalesce(suggestion.member_id, imported_editor_id) and editor.deleted_at is null
      left join member approver on approver.id = coalesce(suggestion.decided_by, imported_approver_id)
        and approver.deleted_at is null`,
    columns: {
      ...post,
      number: 'number',
      title: 'title',
      content: 'content',
      tags: 'tags',
      createdAt: 'created_at',
      replacedAt: 'replaced_at',
      editorId: 'editor',
      editorName: 'editor_name',
      approverId: 'approver',
      summary: 'summary',
      imported: 'nullif(is_imported, false)',
    },
  },
  votes: {
    rows: `
      select row_number() over (
        order by question_id, answer_id, reply_id, direction, vote.created_at::date, member_id) as id, vote.*,
        voter.id as voter
      from vote left join member voter on voter.id = member_id and voter.deleted_at is null
      where ${aboutVisiblePosts}`,
    // A time would tell who voted, so there is a day, and the votes are not in the order in which they were cast.
    columns: { ...post, vote: 'direction', day: 'created_at::date' },
    privateColumns: { memberId: 'voter', createdAt: 'case when voter is not null then created_at end' },
  },
  follows: {
    rows: `
      select row_number() over (order by member_id, question_id nulls last, tag_id) as id, follow.* from (
        select member_id, question_id, null::bigint as tag_id, created_at from question_follow
        where question_id in (select id from question)
        union all select member_id, null, tag_id, created_at from tag_follow
        where tag_id in (select id from (${selectVisibleTags}) visible)
      ) follow
      where member_id in (select id from member where deleted_at is null)`,
    columns: {
      memberId: 'member_id',
      questionId: 'question_id',
      tag: '(select name from tag where tag.id = tag_id)',
      createdAt: 'created_at',
    },
  },
  bookmarks: {
    rows: `
      select * from bookmark
      where member_id in (select id from member where deleted_at is null) and (question_id in (select id from question) or answer_id in (select id from answer))`,
    columns: {
      memberId: 'member_id',
      questionId: 'question_id',
      answerId: 'answer_id',
      note: 'note',
      createdAt: 'created_at',
    },
  },
  pictures: {
    rows: `
      select * from upload
      where id in (select upload_id from upload_reference where ${aboutVisiblePosts})
        or name in (select avatar from member where deleted_at is null)`,
    columns: {
      name: 'name',
      width: 'width',
      height: 'height',
      memberId: '(select id from member where id = row.member_id and deleted_at is null)',
    },
  },
  redirects: {
    rows: `
      select row_number() over (order by site, redirect.address) as id, site, redirect.kind, target_id,
        tag.name as tag, address, regexp_replace(address, '[?][^?]*=[^?]*$', '') as path
      from imported_redirect redirect join import_source on import_source.id = redirect.source_id ${redirectTargets.joins}
      where ${redirectTargets.isVisible}`,
    columns: {
      from: `${escapeInPath('path')} || substr(address, length(path) + 1)`,
      site: 'site',
      questionId: `case when kind = 'question' then target_id end`,
      answerId: `case when kind = 'answer' then target_id end`,
      replyId: `case when kind = 'reply' then target_id end`,
      memberId: `case when kind = 'member' then target_id end`,
      tag: 'tag',
    },
  },
};
