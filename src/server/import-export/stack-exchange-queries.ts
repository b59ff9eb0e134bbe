import type { ClientBase } from 'pg';
import { writeAnswerScores, writeQuestionSortKeys, writeTagSortKeys } from '#server/posts/index.ts';
import { unknownSiteUrl } from './stack-exchange-fields.ts';

/** Where the rows of an archive are added. */
export interface ImportTarget {
  sourceId: string;
  /** The address of the site, for its relative links; empty for the community's own archive. */
  siteAddress: string;
  /** The recorded import; null for the community's own archive. */
  runId: string | null;
}

export async function countStagedPosts(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ posts: string }>('select count(*) as posts from archive_post');
  return Number(rows[0]?.posts);
}

/**
 * Adds an entry for each author who is known by number only, so that their posts link to their profile on the site, as
 * the licence requires. Such authors come from partial archives; those who deleted their account have a name without a
 * number.
 */
export async function stageNamelessAuthors(client: ClientBase): Promise<void> {
  await client.query(`
    insert into archive_user (id, name, reputation, created, nameless)
    select author, coalesce(max(author_name), case when author = -1 then 'Community' else 'user' || author end), 0,
      min(created), true
    from (
      select author, author_name, created from archive_post
      union all
      select author, author_name, created from archive_comment comment
      where exists (select from archive_post where id = comment.post_id)) written
    where author is not null and not exists (select from archive_user where id = written.author)
    group by author`);
}

/** Makes links into the site in profiles absolute. Posts get this when they are added. */
export async function completeBios(client: ClientBase, siteAddress: string): Promise<void> {
  await client.query(
    `update archive_user set bio = replace(bio, '${unknownSiteUrl}', $1)
     where strpos(bio, '${unknownSiteUrl}') > 0`,
    [siteAddress],
  );
}

/** Gives members their name, whom an earlier import knew only by number. Returns how many. */
export async function nameMembers(client: ClientBase, sourceId: string): Promise<number> {
  const named = await client.query(
    `with named as (
       update member set display_name = known.name, bio = known.bio, location = known.location, website = known.website,
         imported_reputation = known.reputation,
         reputation = member.reputation - imported_reputation + known.reputation
       from archive_user known
       where member.source_id = $1 and member.source_key = known.id::text and not known.nameless and deleted_at is null
         and member.display_name = 'user' || member.source_key and known.name <> member.display_name
       returning source_key, known.name, known.bio, known.location, known.website, known.reputation)
     update imported_row row set name_hash = ${hashOf('named.name')}, content_hash = ${hashOf('named.bio')},
       location_hash = ${hashOf('named.location')}, website_hash = ${hashOf('named.website')},
       reputation = named.reputation
     from named where row.source_id = $1 and row.kind = 'member' and row.source_key = named.source_key`,
    [sourceId],
  );
  return named.rowCount ?? 0;
}

/**
 * Adds the members that do not exist yet. `archive_member` then maps the archive's user numbers to members, for this
 * and earlier imports of the site. Returns the number of added members, and of those without an entry in the archive.
 */
export async function addMembers(
  client: ClientBase,
  { sourceId: source, runId }: ImportTarget,
): Promise<{ members: number; nameless: number }> {
  const { rows } = await client.query<{ members: string; nameless: string }>(
    `with added as (
       insert into member (display_name, bio, location, website, reputation, imported_reputation, source_id, source_key,
         created_at, updated_at)
       select name, bio, location, website, reputation, reputation, $1, id::text, created, created from archive_user
       where not exists (select from archive_known_user where key = archive_user.id)
       order by id
       returning id, source_key, created_at),
     remembered as (
       insert into imported_row (source_id, kind, source_key, id, created_at, run_id, name_hash, content_hash,
         location_hash, website_hash, reputation)
       select $1, 'member', source_key, added.id, created_at, $2, ${hashOf('name')}, ${hashOf('bio')},
         ${hashOf('location')}, ${hashOf('website')}, reputation
       from added join archive_user on archive_user.id = source_key::bigint)
     select count(*) filter (where not nameless) as members, count(*) filter (where nameless) as nameless
     from added join archive_user on archive_user.id = added.source_key::bigint`,
    [source, runId],
  );
  await client.query(
    `create temporary table archive_member on commit drop as
     select source_key::bigint as key, coalesce(into_id, id) as id
     from member left join account_merge on account_merge.member_id = member.id
     where source_id = ${literal(source)}`,
  );
  await client.query(
    'create unique index archive_member_key on archive_member (key); analyze archive_member;',
  );
  await analyzeAdded(client, 'members');
  return {
    members: Number(rows[0]?.members),
    nameless: Number(rows[0]?.nameless),
  };
}

/** Counts votes by post: from the archive's votes, or from the score if it has no file of votes. */
export async function createScores(client: ClientBase, byVotes: boolean): Promise<void> {
  await client.query(
    `create temporary table archive_score (post_id, up, down) on commit drop as ${
      byVotes
        ? `select post_id, count(*) filter (where kind = 2), count(*) filter (where kind = 3)
           from archive_vote where kind in (2, 3) group by post_id`
        : 'select id, greatest(score, 0), greatest(-score, 0) from archive_post'
    }`,
  );
  await client.query(
    'create unique index archive_score_post on archive_score (post_id); analyze archive_score;',
  );
}

/** The name of an author without an account in the archive. */
export const authorName = `case when author.id is null then coalesce(item.author_name, 'user' || item.author, 'Anonymous') end`;
const authorColumns = `author.id, ${authorName}`;
export const authorJoin = 'left join archive_member author on author.key = item.author';

/** A value of the archive as it is remembered in `imported_row`. */
export const hashOf = (value: string) => `md5(coalesce(${value}, ''))::uuid`;

/** The keys of a question's tags as one value. */
export const joinedTagKeys = `array_to_string(item.tag_keys, ' ')`;

/** The text of a post with absolute links into its site, whose address is this parameter. */
export const contentColumn = (siteAddress: string) =>
  `replace(item.content, '${unknownSiteUrl}', ${siteAddress})`;

/** SQL: whether the import changes the tags of the question with this number. */
const isRetagged = (key: string) => `exists (
  select from archive_changed where kind = 'question' and key = ${key} and applied and tags and not edited_here)`;

/**
 * The names of the tags of new questions and of those that get other tags: as existing tags are spelled, else as the
 * archive first does. A synonym stands for its tag.
 */
export async function nameTags(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_tag_name on commit drop as
    select distinct on (used.key) used.key, coalesce(main.name, used.name) as name
    from archive_post post
    cross join lateral unnest(post.tags, post.tag_keys) with ordinality as used (name, key, position)
    left join tag on tag.key = used.key left join tag main on main.id = coalesce(tag.synonym_of, tag.id)
    where post.kind = 1
      and (not exists (select from archive_known where key = post.id) or ${isRetagged('post.id')})
    order by used.key, post.created, post.id, used.position`);
  await client.query(
    'create unique index archive_tag_name_key on archive_tag_name (key); analyze archive_tag_name;',
  );
}

/** SQL: the names of the tags of a staged question, as lists show them. */
export const tagText = (row: string) => `coalesce((
  select string_agg(tag.name, ', ' order by used.position)
  from unnest(${row}.tag_keys) with ordinality as used (key, position) join archive_tag_name tag using (key)), '')`;

/**
 * Chooses the ids of the answers that do not exist yet, so that new questions are added with their accepted answer: a
 * second update would write all their index entries again.
 */
export async function reserveAnswerIds(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_new_answer (key bigint primary key, parent bigint not null, id bigint not null)
      on commit drop;
    insert into archive_new_answer
    select id, parent, nextval(pg_get_serial_sequence('base_answer', 'id')) from (
      select id, parent from archive_post
      where kind = 2 and not exists (select from archive_known where key = archive_post.id)
      order by created, id) added;
    analyze archive_new_answer;`);
}

/**
 * Adds the questions. The tables `archive_question` and `archive_answer` map numbers to posts; `is_new` posts were added
 * by this import.
 */
export async function addQuestions(
  client: ClientBase,
  { sourceId: source, siteAddress, runId }: ImportTarget,
): Promise<number> {
  await client.query(
    `create temporary table archive_question (key bigint primary key, id bigint not null, is_new boolean not null)
     on commit drop`,
  );
  const added = await client.query(
    `with added as (
       insert into question (author_id, imported_author_name, title, content, excerpt, excerpt_cut, upvotes, downvotes,
         imported_upvotes, imported_downvotes, views, imported_views, answer_count, accepted_answer_id, source_id,
         source_key, source_license, created_at, edited_at, active_at, tag_text)
       select ${authorColumns}, item.title, ${contentColumn('$2')}, item.excerpt, item.excerpt_cut, coalesce(score.up, 0),
         coalesce(score.down, 0), coalesce(score.up, 0), coalesce(score.down, 0), item.views, item.views,
         coalesce(answers.count, 0), accepted.id, $1, item.id::text, item.license, item.created, item.edited,
         greatest(item.created, item.edited, answers.latest, comments.latest, comments_below.latest),
         ${tagText('item')}
       from archive_post item ${authorJoin} left join archive_score score on score.post_id = item.id
       left join archive_new_answer accepted on accepted.key = item.accepted and accepted.parent = item.id
       left join (
         select post.parent, count(*) as count, max(greatest(created, edited)) as latest
         from archive_new_answer join archive_post post on post.id = key
         group by post.parent) answers on answers.parent = item.id
       left join (
         select post_id, max(created) as latest from archive_comment group by post_id) comments
         on comments.post_id = item.id
       left join (
         select answer.parent, max(comment.created) as latest
         from archive_comment comment join archive_post answer on answer.id = comment.post_id and answer.kind = 2
         group by answer.parent) comments_below on comments_below.parent = item.id
       where item.kind = 1 and not exists (select from archive_known where key = item.id)
       order by item.created, item.id
       returning id, source_key, created_at, edited_at, active_at, upvotes, downvotes, views, answer_count),
     sort_keys as (${writeQuestionSortKeys('added')}),
     remembered as (
       insert into imported_row (source_id, kind, source_key, id, created_at, edited_at, run_id, name_hash, tags_hash,
         content_hash, upvotes, downvotes, views)
       select $1, 'question', source_key, added.id, created_at, greatest(edited_at, edited.latest), $3,
         ${hashOf('item.title')}, ${hashOf(joinedTagKeys)}, ${hashOf('item.content')}, upvotes, downvotes, added.views
       from added join archive_post item on item.id = source_key::bigint
       left join archive_edited edited on edited.post_id = item.id)
     insert into archive_question select source_key::bigint, id, true from added`,
    [source, siteAddress, runId],
  );
  await client.query(
    `insert into archive_question select source_key::bigint, id, false from question where source_id = $1
     on conflict (key) do nothing`,
    [source],
  );
  await client.query('analyze archive_question');
  await analyzeAdded(client, 'questions');
  return added.rowCount ?? 0;
}

export async function addAnswers(
  client: ClientBase,
  { sourceId: source, siteAddress, runId }: ImportTarget,
): Promise<number> {
  await client.query(
    `create temporary table archive_answer (
       key bigint primary key, id bigint not null, question_id bigint not null, is_new boolean not null) on commit drop`,
  );
  const added = await client.query(
    `with added as (
       insert into answer (id, question_id, author_id, imported_author_name, content, upvotes, downvotes,
         imported_upvotes, imported_downvotes, source_id, source_key, source_license, created_at, edited_at)
       overriding system value
       select added.id, question.id, ${authorColumns}, ${contentColumn('$2')}, coalesce(score.up, 0), coalesce(score.down, 0),
         coalesce(score.up, 0), coalesce(score.down, 0), $1, item.id::text, item.license, item.created, item.edited
       from archive_new_answer added join archive_post item on item.id = added.key
       join archive_question question on question.key = item.parent ${authorJoin}
       left join archive_score score on score.post_id = item.id
       where not exists (select from archive_locked where id = question.id)
       order by added.id
       returning id, question_id, source_key, created_at, edited_at, upvotes, downvotes),
     scores as (${writeAnswerScores('added')}),
     remembered as (
       insert into imported_row (source_id, kind, source_key, id, created_at, edited_at, run_id, content_hash, upvotes,
         downvotes)
       select $1, 'answer', source_key, added.id, created_at, greatest(edited_at, edited.latest), $3,
         ${hashOf('item.content')}, upvotes, downvotes
       from added join archive_post item on item.id = source_key::bigint
       left join archive_edited edited on edited.post_id = item.id)
     insert into archive_answer select source_key::bigint, id, question_id, true from added`,
    [source, siteAddress, runId],
  );
  await client.query(
    `insert into archive_answer select source_key::bigint, id, question_id, false from answer where source_id = $1
     on conflict (key) do nothing`,
    [source],
  );
  await client.query('analyze archive_answer');
  await analyzeAdded(client, 'answers');
  return added.rowCount ?? 0;
}

/** Adds comments as replies: to an answer, or to a question (without an answer). */
export async function addReplies(
  client: ClientBase,
  { sourceId: source, runId }: ImportTarget,
): Promise<number> {
  await client.query(
    `create temporary table archive_location (key, question_id, answer_id, is_new) on commit drop as
     select key, id, null::bigint, is_new from archive_question
     union all select key, question_id, id, is_new from archive_answer`,
  );
  await client.query(
    'create unique index archive_location_key on archive_location (key); analyze archive_location;',
  );
  await client.query(
    'create temporary table archive_new_reply (key bigint primary key, id bigint, post_id bigint) on commit drop',
  );
  const added = await client.query(
    `with added as (
       insert into reply (question_id, answer_id, level, author_id, imported_author_name, content, upvotes, downvotes,
       imported_upvotes, imported_downvotes, source_id, source_key, source_license, created_at, updated_at)
     select location.question_id, location.answer_id, 0, ${authorColumns}, item.content, greatest(item.score, 0),
       greatest(-item.score, 0), greatest(item.score, 0), greatest(-item.score, 0), $1, item.id::text, item.license,
       item.created, item.created
     from archive_comment item join archive_location location on location.key = item.post_id ${authorJoin}
     where not exists (select from archive_known_reply where key = item.id)
       and not exists (select from archive_locked where id = location.question_id)
     order by item.created, item.id
     returning id, source_key, created_at, upvotes, downvotes),
     remembered as (
       insert into imported_row (source_id, kind, source_key, id, created_at, run_id, content_hash, upvotes, downvotes)
       select $1, 'reply', source_key, added.id, created_at, $2, ${hashOf('item.content')}, upvotes, downvotes
       from added join archive_comment item on item.id = source_key::bigint)
     insert into archive_new_reply
     select comment.id, added.id, comment.post_id from added join archive_comment comment on comment.id = added.source_key::bigint`,
    [source, runId],
  );
  await client.query('analyze archive_new_reply');
  await analyzeAdded(client, 'replies');
  return added.rowCount ?? 0;
}

/**
 * Accepts answers to existing questions without an accepted answer, whose author chose one since. Returns their number.
 * The table `archive_accepted` has them: none without `isRefresh`.
 */
export async function acceptAnswers(client: ClientBase, isRefresh: boolean): Promise<number> {
  await client.query(
    'create temporary table archive_accepted (question_id bigint primary key, answer_id bigint) on commit drop',
  );
  const accepted = await client.query(`
    with accepted as (
      update question set accepted_answer_id = answer.id
      from archive_post post
      join archive_question placed on placed.key = post.id and not placed.is_new
      join archive_answer answer on answer.key = post.accepted and answer.question_id = placed.id
      left join archive_known known on known.key = post.id
      where ${String(isRefresh)} and post.kind = 1 and known.accepted_id is null and question.id = placed.id and question.accepted_answer_id is null
        and question.lock_reason is null
      returning question.id, question.accepted_answer_id)
    insert into archive_accepted select id, accepted_answer_id from accepted`);
  return accepted.rowCount ?? 0;
}

/**
 * Adds follows of questions. Members with an account here may have unfollowed a question that was imported before; the
 * deletion of an account removed its follows. Returns the number added.
 * @param follows SQL that selects the `key` of a question, the `member_id`, whether the import added the member
 * (`is_new_member`), and the time `created`
 */
export async function addFollows(client: ClientBase, follows: string): Promise<number> {
  const added = await client.query(`
    insert into question_follow (question_id, member_id, created_at, question_created_at)
    select question.id, member_id, min(follow.created), question.created_at
    from (${follows}) follow
    join archive_question placed on placed.key = follow.key
    join question on question.id = placed.id
    join member on member.id = member_id and member.deleted_at is null
    where placed.is_new or is_new_member or member.email is null
    group by question.id, question.created_at, member_id
    order by question.id, member_id
    on conflict do nothing`);
  return added.rowCount ?? 0;
}

/** SQL: favourites of the archive's members, for `addFollows`. */
export const favourites = `
  select vote.post_id as key, member.id as member_id, false as is_new_member, vote.created
  from archive_vote vote join archive_member member on member.key = vote.member where vote.kind = 5`;

/**
 * Adds the tags of the new questions, and of those that get other tags, as late as possible: a member who uses a new
 * tag waits until the import ends. A tag that a member added meanwhile keeps its spelling, and the questions that named
 * it otherwise are corrected. So are those with a synonym, which can also name the same tag twice.
 */
export async function addTags(client: ClientBase, runId: string | null): Promise<void> {
  const { rows } = await client.query<{ id: string }>(`
    insert into tag (name, key) select name, key from archive_tag_name order by key on conflict (key) do nothing
    returning id`);
  await client.query(`
    create temporary table archive_tagged on commit drop as
      select key, id, is_new, created_at from archive_question join question using (id)
      where is_new or ${isRetagged('archive_question.key')};
    create temporary table archive_left_tag on commit drop as
      select distinct tag_id as id from question_tag join archive_tagged tagged on tagged.id = question_id and not is_new;
    delete from question_tag where question_id in (select id from archive_tagged where not is_new);`);
  await client.query('update import_run set tag_ids = $2 where id = $1', [runId, rows.map(({ id }) => id)]);
  await client.query(`
    insert into question_tag (question_id, tag_id, position, question_created_at)
    select question_id, tag_id, row_number() over (partition by question_id order by position) - 1, created
    from (
      select question.id as question_id, coalesce(tag.synonym_of, tag.id) as tag_id, min(used.position) as position,
        question.created_at as created
      from archive_post post
      join archive_tagged question on question.key = post.id
      cross join lateral unnest(post.tag_keys) with ordinality as used (key, position)
      join tag on tag.key = used.key
      where post.kind = 1
      group by 1, 2, 4) used
    order by question_id, position`);
  await analyzeAdded(client, 'tags');
  await client.query(`
    with renamed as (
      select coalesce(tag.synonym_of, tag.id) as id from tag join archive_tag_name used on used.key = tag.key
      where used.name <> tag.name or tag.synonym_of is not null)
    update question set tag_text = coalesce((
      select string_agg(tag.name, ', ' order by position) from question_tag join tag on tag.id = tag_id
      where question_id = question.id), '')
    where id in (
      select question_id from question_tag join archive_tagged tagged on tagged.id = question_id
      where tag_id in (select id from renamed)
      union select id from archive_tagged where not is_new)`);
  await client.query(`
    with added as (select question.* from question join archive_tagged tagged on tagged.id = question.id)
    ${writeTagSortKeys('added')}`);
}

/** Makes the posts of a source the community's own: they get no source, and later imports do not recognise them. */
export async function detachSource(client: ClientBase, source: string): Promise<void> {
  for (const table of ['base_question', 'base_answer', 'base_reply']) {
    await client.query(
      `update ${table} set source_id = null, source_key = null, source_license = null where source_id = $1`,
      [source],
    );
  }
  await client.query('update member set source_id = null, source_key = null where source_id = $1', [source]);
  await client.query('delete from imported_tag_text where source_id = $1', [source]);
  await client.query('delete from imported_row where source_id = $1', [source]);
}

const analyzedTables = {
  members: 'member (id, source_id, source_key), imported_row (source_id, kind, source_key, id)',
  questions: 'base_question (id, author_id, source_id, created_at, hidden_by)',
  answers: 'base_answer (id, question_id, author_id, source_id, created_at, hidden_by)',
  replies:
    'base_reply (id, question_id, answer_id, author_id, source_id, created_at, hidden_by), ' +
    'imported_row (source_id, kind, source_key, id)',
  tags: 'tag (id, key), base_question_tag (question_id, tag_id, hidden_by)',
} as const;

/**
 * Updates the statistics of the columns that later statements of this transaction join. Autovacuum does not see its
 * rows, so PostgreSQL would take full tables for empty, and compare each row with each.
 */
export async function analyzeAdded(client: ClientBase, rows: keyof typeof analyzedTables): Promise<void> {
  await client.query(`analyze ${analyzedTables[rows]}`);
}

/** Updates all statistics, after the import. */
export async function analyzeTables(client: ClientBase): Promise<void> {
  await client.query(
    'analyze member, imported_row, base_question, base_answer, base_reply, tag, base_question_tag, question_follow, imported_badge',
  );
}

export function literal(id: string): string {
  return String(BigInt(id));
}

/** Returns the member that a user of the archive became in this import; null if there is none. */
export async function findImportedMember(client: ClientBase, user: number): Promise<number | null> {
  const { rows } = await client.query<{ id: string }>('select id from archive_member where key = $1', [user]);
  const [row] = rows;
  return row === undefined ? null : Number(row.id);
}
