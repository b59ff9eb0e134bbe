import type { ClientBase } from 'pg';
import { writeAnswerScores, writeQuestionSortKeys } from '#server/posts/index.ts';
import { formerMemberName, limits } from '#shared/core/limits.ts';
import { lineError } from './jsonl-files.ts';
import { postKinds } from './jsonl-tables.ts';
import { tagText } from './stack-exchange-queries.ts';

/** How the rows of a source are added. */
export type LineTarget = {
  /** The id of the source. */
  source: string;
  /** The recorded import. */
  runId: string;
  /** The posts are this community's own: they show no source. */
  isOwn: boolean;
  /** Posts keep their ids, because there are no others. */
  keepsIds: boolean;
  /** The licence of posts whose row has none; null for the community's own. */
  license: string | null;
};

/**
 * Whether there is no post, not even a hidden one, and there never was one of this source, except in undone imports. Then members cannot post until
 * the import ends, because a new post could take an id of an imported one.
 */
export async function lockIfEmpty(client: ClientBase, source: string | undefined): Promise<boolean> {
  const isEmpty = async () => {
    const { rows } = await client.query<{ empty: boolean }>(
      `select not exists (select from base_question) and not exists (
         select from imported_row where source_id = $1 and kind <> 'member' and id <> 0) as empty`,
      [source ?? null],
    );
    return rows[0]?.empty === true;
  };
  if (!(await isEmpty())) return false;
  await client.query('lock table base_question, base_answer, base_reply in share row exclusive mode');
  return isEmpty();
}

export async function markAsOwn(client: ClientBase, source: string): Promise<void> {
  await client.query('update import_source set is_own = true where id = $1', [source]);
}

/** The names of the sites that rows were imported from before they were exported. */
export async function listInnerSites(client: ClientBase, { isOwn }: { isOwn: boolean }): Promise<string[]> {
  const { rows } = await client.query<{ site: string }>(`
    select source_site as site from line_post where source_site is not null
    union select source_site from line_member where source_site is not null
    union select claim ->> 'site' from line_member cross join lateral jsonb_array_elements(claimed) claim
      where ${String(isOwn)} and claimed is not null
    union select source_site from line_badge where source_site is not null
    union select description_source ->> 'site' from line_tag where description_source is not null
    union select about_source ->> 'site' from line_tag where about_source is not null
    union select source_site from line_redirect where source_site is not null order by site`);
  return rows.map(({ site }) => site);
}

/** The kind in `imported_row` of a row of `line_post staged`. */
const kindName = `(array['question', 'answer', 'reply'])[staged.kind]`;

const stagedTables = [
  ['line_member', `'member'`],
  ['line_post', kindName],
] as const;

/**
 * Finds the rows that exist: from an earlier import of these files, or of the site that they were imported from before.
 */
async function findKnownRows(client: ClientBase, source: string): Promise<void> {
  await client.query(`
    create temporary table line_source on commit drop as
    select id, site from import_source union all select id, unnest(former_sites) from import_source;
    analyze line_source;`);
  for (const [table, kind] of stagedTables) {
    await client.query(
      `update ${table} staged set new_id = known.id from imported_row known
       where known.source_id = $1 and known.kind = ${kind} and known.source_key = staged.id::text`,
      [source],
    );
    await client.query(
      `update ${table} staged set new_id = known.id from imported_row known, line_source
       where staged.new_id is null and line_source.site = staged.source_site and known.source_id = line_source.id
         and known.kind = ${kind} and known.source_key = staged.source_key`,
    );
  }
  // Files of a site and exports of what was imported from them number the same rows otherwise. Both name the page. A page
  // can belong to another row now.
  for (const [table, shown, kind, condition] of shownTables)
    await client.query(
      `update ${table} staged set new_id = known.id
       from ${table} page left join line_source on line_source.site = page.source_site
       join ${shown} known on known.source_id = coalesce(line_source.id, $1)
         and known.source_key = coalesce(page.source_key, page.path)
       where staged.line = page.line and staged.new_id is null and ${condition('staged')} and ${condition('page')}
         and (page.source_site is not null or not exists (
           select from imported_row other
           where other.source_id = $1 and other.kind = '${kind}' and other.id = known.id
             and other.source_key <> known.source_key))`,
      [source],
    );
}

const shownTables = [
  ['line_member', 'member', 'member', () => 'true'],
  ['line_post', 'base_question', 'question', (alias: string) => `${alias}.kind = 1`],
  ['line_post', 'base_answer', 'answer', (alias: string) => `${alias}.kind = 2`],
  ['line_post', 'base_reply', 'reply', (alias: string) => `${alias}.kind = 3`],
] as const;

/** Names the page of a row that another row has, too, with the number of the row. */
async function distinguishPages(client: ClientBase, source: string): Promise<void> {
  for (const [table, shown, kind, condition] of shownTables)
    await client.query(
      `update ${table} staged set path = staged.path || '#${kind}-' || staged.id
       from (
         select path, min(line) as first from ${table} page
         where is_new and source_site is null and ${condition('page')} group by path having count(*) > 1
         union all
         select path, 0 from ${table} page join ${shown} known on known.source_id = $1 and known.source_key = page.path
         where is_new and source_site is null and ${condition('page')}
       ) other
       where other.path = staged.path and staged.line > other.first and staged.is_new and staged.source_site is null
         and ${condition('staged')}`,
      [source],
    );
}

/**
 * Finds the rows that exist, and chooses the ids of the others.
 * @param keepsMemberIds false in a dry run, which changes no sequence
 */
export async function resolveRows(
  client: ClientBase,
  { source, keepsIds }: LineTarget,
  { keepsMemberIds }: { keepsMemberIds: boolean },
): Promise<void> {
  await findKnownRows(client, source);
  await client.query(`
    -- A claimed profile is empty; its rows belong to the member.
    update line_member set is_deleted = true
    where new_id is not null and not exists (
      select from member where deleted_at is null and id = coalesce(
        (select into_id from account_merge where account_merge.member_id = line_member.new_id), line_member.new_id));
    update line_post set is_skipped = 'hidden or deleted here'
    where new_id is not null and not case kind
      when 1 then exists (select from question where id = new_id)
      when 2 then exists (select from answer where id = new_id)
      else exists (select from reply where id = new_id) end;
    update line_post post set is_skipped = 'on posts that were hidden or deleted here'
    from line_post above
    where post.new_id is null and above.is_skipped is not null
      and ((above.kind = 1 and above.id = post.question) or (above.kind = 2 and post.kind = 3 and above.id = post.answer));
    update line_post post set is_skipped = 'on questions that are locked here'
    from line_post above join question on question.id = above.new_id and question.lock_reason is not null
    where post.new_id is null and post.is_skipped is null and post.kind > 1
      and above.kind = 1 and above.id = post.question;
    update line_member staged set new_id = chosen.new_id, is_new = true
    from (
      select id, ${keepsMemberIds ? memberIdAsBefore : `nextval(pg_get_serial_sequence('member', 'id'))`} as new_id
      from (select id from line_member where new_id is null order by created, id) sorted
    ) chosen
    where chosen.id = staged.id;`);
  await removeEmptyPlaceholders(client);
  for (const [name, kind] of Object.entries(postKinds))
    await client.query(`
      update line_post staged set new_id = chosen.new_id, is_new = true
      from (
        select id, ${keepsIds ? 'id' : `nextval(pg_get_serial_sequence('base_${name}', 'id'))`} as new_id
        from (
          select id from line_post where kind = ${kind} and new_id is null and is_skipped is null order by created, id
        ) sorted
      ) chosen
      where staged.kind = ${kind} and chosen.id = staged.id`);
  // PostgreSQL does not analyze temporary tables itself: 8,000 questions would be compared with each other for a minute.
  await client.query('analyze line_member; analyze line_post');
  await distinguishPages(client, source);
}

/** The id of a member as it was, or a higher one than all of the files if a member here has it. */
const memberIdAsBefore = `case
  when not exists (select from member where member.id = sorted.id) then id
  else nextval(pg_get_serial_sequence('member', 'id')) end`;

/** A deleted reply stays only while it has replies. */
async function removeEmptyPlaceholders(client: ClientBase): Promise<void> {
  for (let removed = 1; removed > 0;) {
    const result = await client.query(`
      update line_post post set is_skipped = 'deleted replies without replies'
      where deleted and new_id is null and is_skipped is null and not exists (
        select from line_post child where child.kind = 3 and child.parent = post.id and child.is_skipped is null)`);
    removed = result.rowCount ?? 0;
  }
}

/** The next members get higher ids than those of the files, also members who register while the import runs. */
export async function advanceMemberSequence(client: ClientBase): Promise<void> {
  await client.query(`
    select setval(pg_get_serial_sequence('member', 'id'), greatest(
      (select max(id) from line_member), nextval(pg_get_serial_sequence('member', 'id'))))`);
}

/** The next posts get higher ids than the imported ones. Sequences do not roll back. */
export async function advancePostSequences(client: ClientBase): Promise<void> {
  for (const [name, kind] of Object.entries(postKinds))
    await client.query(
      `select setval(pg_get_serial_sequence('base_${name}', 'id'), greatest(
         (select max(new_id) from line_post where kind = $1), nextval(pg_get_serial_sequence('base_${name}', 'id'))))`,
      [kind],
    );
}

/**
 * Adds the members that are new. An address of another account is left out. Other members see an address only after a
 * move, if the member had chosen so: elsewhere they have not agreed. Suspensions are those of a community.
 * `line_author` maps numbers of members to the accounts that posts belong to.
 */
export async function addMembers(
  client: ClientBase,
  { source, isOwn, runId }: LineTarget,
): Promise<{ members: number; takenAddresses: number }> {
  const taken = await client.query(`
    update line_member staged set email = null
    where email is not null and is_new and (
      exists (select from member where member.email = staged.email)
      or exists (select from email_link where email_link.email = staged.email and reserves_email)
      or exists (select from line_member other where other.email = staged.email and other.line < staged.line and other.is_new))`);
  const added = await client.query(
    `insert into member (id, display_name, bio, location, website, email, show_email, suspended_until, suspension_reason, reputation, imported_reputation, source_id, source_key, created_at, updated_at, is_bot)
     select new_id, name, bio, location, website, email, ${String(isOwn)} and show_email,
       ${isOwn ? 'suspended_until, suspension_reason' : 'null, null'}, coalesce(reputation, 0),
       coalesce(reputation, 0),
       case when email is null then coalesce(inner_source.id, $1::bigint) end,
       case when email is not null then null when inner_source.id is not null then source_key
         when $1::bigint is not null then path end,
       created, created, is_bot
     from line_member staged left join line_source inner_source on inner_source.site = source_site
     where is_new order by new_id`,
    [isOwn ? null : source],
  );
  // They did not join: no web hook announces them.
  await client.query(
    `delete from event where transaction_id = pg_current_xact_id() and event ->> 'kind' = 'member-joined'`,
  );
  await rememberRows(client, { table: 'line_member', kind: `'member'`, source, runId });
  await client.query(`
    create temporary table line_author on commit drop as
    select staged.id as key, coalesce(into_id, staged.new_id) as id, staged.is_new
    from line_member staged left join account_merge on account_merge.member_id = staged.new_id
    where not is_deleted;
    create unique index line_author_key on line_author (key);
    analyze line_author;
    update line_post set author_id = author.id from line_author author where author.key = line_post.author;`);
  return { members: added.rowCount ?? 0, takenAddresses: taken.rowCount ?? 0 };
}

/**
 * Adds the empty profiles that members of a community that moves here have claimed, with their merges, so that later
 * imports give new posts to the member.
 */
export async function addClaimedProfiles(
  client: ClientBase,
  { isOwn, runId }: Pick<LineTarget, 'isOwn' | 'runId'>,
): Promise<void> {
  if (!isOwn) return;
  await client.query(
    `with claim as (
       select distinct on (line_source.id, key) line_source.id as source_id, key, staged.new_id, staged.created
       from line_member staged cross join lateral jsonb_to_recordset(staged.claimed) claim (site text, key text)
       join line_source on line_source.site = claim.site
       where staged.is_new and claimed is not null
         and not exists (select from member where source_id = line_source.id and source_key = key)
       order by line_source.id, key, staged.line
     ), profile as (
       insert into member (display_name, show_email, source_id, source_key, created_at, updated_at, deleted_at)
       select '${formerMemberName}', false, source_id, key, created, created, now() from claim
       returning id, source_id, source_key, created_at
     ), remembered as (
       insert into imported_row (source_id, kind, source_key, id, created_at, run_id)
       select source_id, 'member', source_key, id, created_at, $1 from profile on conflict do nothing
     )
     insert into account_merge (member_id, into_id, posts, votes, finished_at)
     select profile.id, claim.new_id, 0, 0, now()
     from profile join claim on claim.source_id = profile.source_id and claim.key = profile.source_key`,
    [runId],
  );
}

/** Remembers what each row became: for this source, and for the site that it was imported from before. */
async function rememberRows(
  client: ClientBase,
  { table, kind, source, runId }: { table: string; kind: string; source: string; runId: string },
): Promise<void> {
  const edited = table === 'line_post' ? 'edited' : 'null::timestamptz';
  await client.query(
    `insert into imported_row (source_id, kind, source_key, id, created_at, edited_at, run_id)
     select $1::bigint, ${kind}, id::text, new_id, created, ${edited}, case when is_new then $2::bigint end
     from ${table} staged where new_id is not null
     union all
     select line_source.id, ${kind}, source_key, new_id, created, ${edited}, $2
     from ${table} staged join line_source on line_source.site = source_site where is_new
     on conflict do nothing`,
    [source, runId],
  );
}

/** Finds the places of the posts, and the levels of replies. Deeper ones go below the deepest level that there is. */
export async function placePosts(client: ClientBase): Promise<void> {
  await client.query(`
    update line_post post set new_question = question.new_id
    from line_post question where question.kind = 1 and question.id = post.question and question.new_id is not null;
    update line_post post set new_answer = answer.new_id
    from line_post answer where answer.kind = 2 and answer.id = post.answer and answer.new_id is not null and post.kind > 1;
    update line_post set parent = null
    where kind = 3 and parent is not null and not exists (
      select from line_post other where other.kind = 3 and other.id = line_post.parent and other.new_id is not null
        and other.is_skipped is null);
    update line_post set level = reply.level, new_parent = reply.parent_reply_id from reply
    where kind = 3 and not is_new and reply.id = new_id;
    update line_post set level = 0 where kind = 3 and is_new and parent is null;
    create index line_post_parent on line_post (parent) where kind = 3;
    analyze line_post;`);
  for (let changed = 1; changed > 0;) {
    const placed = await client.query(`
      update line_post reply set
        level = least(above.level + 1, ${limits.replyLevel}),
        new_parent = case when above.level < ${limits.replyLevel} then above.new_id else above.new_parent end
      from line_post above
      where reply.kind = 3 and reply.level is null and reply.is_new
        and above.kind = 3 and above.id = reply.parent and above.level is not null`);
    changed = placed.rowCount ?? 0;
  }
  const { rows } = await client.query<{ line: number }>(
    'select line from line_post where kind = 3 and is_new and level is null order by line limit 1',
  );
  const [row] = rows;
  if (row !== undefined) throw lineError('replies.jsonl', row.line, 'parentReplyId: replies form a circle');
}

/**
 * Chooses the votes that get rows: of members who are here, one per member and post. All others are numbers. `line_score`
 * has both.
 */
export async function countVotes(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table line_member_vote on commit drop as
    select distinct on (post.kind, post.id, author.id)
      post.kind, post.id as post, post.new_id, author.id as member_id, vote.direction, vote.created
    from line_vote vote join line_post post on post.kind = vote.kind and post.id = vote.post
    join line_author author on author.key = vote.member
    where post.is_new and not post.deleted
    order by post.kind, post.id, author.id, vote.created desc, vote.line desc;
    create temporary table line_score on commit drop as
    select post.kind, post.id,
      coalesce(rows.up, 0) as up_rows, coalesce(rows.down, 0) as down_rows,
      greatest(coalesce(post.upvotes, listed.up, 0) - coalesce(rows.up, 0), 0) as up_counted,
      greatest(coalesce(post.downvotes, listed.down, 0) - coalesce(rows.down, 0), 0) as down_counted
    from line_post post
    left join (
      select kind, post, count(*) filter (where direction = 'up') as up, count(*) filter (where direction = 'down') as down
      from line_vote group by kind, post) listed on listed.kind = post.kind and listed.post = post.id
    left join (
      select kind, post, count(*) filter (where direction = 'up') as up, count(*) filter (where direction = 'down') as down
      from line_member_vote group by kind, post) rows on rows.kind = post.kind and rows.post = post.id
    where post.is_new;
    create unique index line_score_post on line_score (kind, id);
    analyze line_score;`);
}

const authorColumns = `post.author_id,
  case when post.author_id is null then coalesce(post.author_name, '${formerMemberName}') end`;

const scoreColumns = 'up_rows + up_counted, down_rows + down_counted, up_counted, down_counted';

/**
 * Source, key and licence: of the site that a post was imported from before, else of these files ($1, null for own
 * posts).
 */
const sourceColumns = `
  coalesce(inner_source.id, $1::bigint),
  case when inner_source.id is not null then post.source_key when $1::bigint is not null then post.path end,
  case when inner_source.id is not null then post.license when $1::bigint is not null then coalesce(post.license, $2::text) end`;

const newPosts = (kind: number, joins = '') => `
  line_post post join line_score score using (kind, id)
  left join line_source inner_source on inner_source.site = post.source_site ${joins}
  where post.kind = ${kind} and post.is_new`;

const joinPostsBelow = `
  left join (
    select question, count(*) filter (where kind = 2) as answers, max(greatest(created, edited)) as latest
    from line_post where kind > 1 and is_new group by question
  ) below on below.question = post.id`;

/** Questions are added with their accepted answer: a later update would write all their index entries again. */
const joinAcceptedAnswer = `
  left join line_post accepted on accepted.kind = 2 and accepted.id = post.accepted and accepted.is_new
    and accepted.question = post.id`;

/** Adds the posts. The functions of the Stack Exchange import that run later read the tables `archive_…`. */
export async function addPosts(
  client: ClientBase,
  { source, isOwn, license, runId }: LineTarget,
): Promise<void> {
  const parameters = [isOwn ? null : source, license];
  await client.query(
    `with added as (
       insert into base_question (id, author_id, imported_author_name, title, content, excerpt, excerpt_cut, upvotes, downvotes,
         imported_upvotes, imported_downvotes, views, imported_views, answer_count, accepted_answer_id, lock_reason,
         source_id, source_key, source_license, created_at, edited_at, active_at, tag_text)
       overriding system value
       select post.new_id, ${authorColumns}, post.title, post.content, post.excerpt, post.excerpt_cut, ${scoreColumns},
         post.views, post.views, coalesce(below.answers, 0), accepted.new_id, post.lock_reason, ${sourceColumns},
         post.created, post.edited, greatest(post.created, post.edited, below.latest),
         ${tagText('post')}
       from ${newPosts(1, joinPostsBelow + joinAcceptedAnswer)}
       order by post.new_id
       returning id, created_at, active_at, upvotes, answer_count)
     ${writeQuestionSortKeys('added')}`,
    parameters,
  );
  await client.query(
    `with added as (
       insert into base_answer (id, question_id, author_id, imported_author_name, content, upvotes, downvotes,
         imported_upvotes, imported_downvotes, source_id, source_key, source_license, created_at, edited_at)
       overriding system value
       select post.new_id, post.new_question, ${authorColumns}, post.content, ${scoreColumns}, ${sourceColumns},
         post.created, post.edited
       from ${newPosts(2)} order by post.new_id
       returning id, question_id, upvotes, downvotes, created_at)
     ${writeAnswerScores('added')}`,
    parameters,
  );
  await client.query(
    `insert into base_reply (id, question_id, answer_id, parent_reply_id, level, author_id, imported_author_name, content,
       deleted_at, upvotes, downvotes, imported_upvotes, imported_downvotes, source_id, source_key, source_license,
       created_at, updated_at, edited_at)
     overriding system value
     select post.new_id, post.new_question, post.new_answer, post.new_parent, post.level, ${authorColumns}, post.content, case when post.deleted then coalesce(post.edited, post.created) end, ${scoreColumns},
       ${sourceColumns}, post.created, coalesce(post.edited, post.created), post.edited
     from ${newPosts(3)} order by post.new_id`,
    parameters,
  );
  await rememberRows(client, { table: 'line_post', kind: kindName, source, runId });
}

/** The tables that the shared steps of imports read, with the posts of this import. */
export async function describeAddedPosts(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_question on commit drop as
      select id as key, new_id as id, is_new from line_post where kind = 1 and new_id is not null and is_skipped is null;
    create temporary table archive_answer on commit drop as
      select id as key, new_id as id, new_question as question_id, is_new from line_post
      where kind = 2 and new_id is not null and is_skipped is null;
    create temporary table archive_new_reply on commit drop as
      select id as key, new_id as id, coalesce(2 * answer + 1, 2 * question) as post_id from line_post
      where kind = 3 and is_new and not deleted;
    create temporary table archive_location on commit drop as
      select 2 * key as key, id as question_id, null::bigint as answer_id, is_new from archive_question
      union all select 2 * key + 1, question_id, id, is_new from archive_answer;
    create temporary table archive_accepted (question_id bigint, answer_id bigint) on commit drop;
    create temporary table archive_relinked (question_id bigint) on commit drop;
    create unique index archive_question_key on archive_question (key);
    create unique index archive_answer_key on archive_answer (key);
    create unique index archive_location_key on archive_location (key);
    create index archive_question_id on archive_question (id);
    create index archive_answer_id on archive_answer (id);
    create index archive_new_reply_id on archive_new_reply (id);
    analyze archive_question; analyze archive_answer; analyze archive_new_reply; analyze archive_location;`);
}

/** What the shared steps read of the files, as views. */
export async function createArchiveViews(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary view archive_post as
      select id, kind, question as parent, accepted, created, edited, tags, tag_keys from line_post where kind = 1;
    create temporary view archive_known as
      select id as key, null::uuid as content_hash, null::bigint as duplicate_id
      from line_post where kind = 1 and not is_new;
    create temporary view archive_duplicate as
      select id, id as question, duplicate_of as original, created from line_post
      where kind = 1 and duplicate_of is not null;`);
}
