import type { ClientBase } from 'pg';
import { authorJoin, authorName, hashOf, joinedTagKeys, literal } from './stack-exchange-queries.ts';
import { createNotedTable } from './stack-exchange-site-history.ts';
import { createReversioned, isEditedHere } from './stack-exchange-versions.ts';

/** What an import does with existing rows that differ in the archive. */
export interface RefreshOptions {
  sourceId: string;
  /** Whether existing rows change to what the archive has; otherwise the differences are only counted. */
  isRefresh: boolean;
  /** Whether the archive has single votes; otherwise it has only scores. */
  byVotes: boolean;
}

/** For imports that only add: the tables of changes, without rows. */
export async function createNoChanges(client: ClientBase): Promise<void> {
  await createChangedTable(client);
  await createReversioned(client);
  await createNotedTable(client);
  await client.query(`
    create temporary table archive_remark (question_id bigint, applied boolean) on commit drop;
    create temporary table archive_changed_user (
      id bigint, name boolean, bio boolean, location boolean, website boolean) on commit drop;
    create temporary table archive_reclosed (question_id bigint) on commit drop;
    create temporary table archive_gone (kind text, question_id bigint, reason text) on commit drop;`);
}

async function createChangedTable(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_changed (
      key bigint not null, kind text not null, id bigint not null, question_id bigint not null, title boolean not null,
      tags boolean not null, content boolean not null, score boolean not null, views boolean not null,
      author boolean not null, source boolean not null, up bigint not null, down bigint not null,
      added_views bigint not null, edited_here boolean not null, locked boolean not null, applied boolean not null)
      on commit drop`);
}

/**
 * Finds the visible posts and comments that changed on the site since the last import. The table `archive_changed` has a
 * row for each, with what changed. `edited_here`: a member edited it here, and that text stays. `applied`: the import
 * changes the row, because its question is not locked.
 */
export async function findChanges(client: ClientBase, options: RefreshOptions): Promise<void> {
  await createChangedTable(client);
  await client.query(`
    insert into archive_changed
    select *, false as edited_here, false as locked, false as applied from (
      ${selectChangedPosts(options)} union all ${selectChangedReplies(options.sourceId)}) compared
    where title or tags or content or score or views or author or source`);
  await client.query(`
    create unique index archive_changed_id on archive_changed (kind, id);
    create index archive_changed_key on archive_changed (key);
    analyze archive_changed;`);
  if (options.isRefresh) await lockChanged(client);
  await findEditsHere(client, options);
}

/** Votes of the archive, beside those of the last one. */
const scoreChanged = (byVotes: boolean) =>
  byVotes ? 'more_up <> 0 or more_down <> 0' : 'more_up <> more_down';

/** Without remembered hashes, a text counts as changed if the archive has a later edit and it differs. */
const differs = (remembered: string, value: string, otherwise = 'true') =>
  `coalesce(case when known.content_hash is null
     then item.edited > coalesce(known.edited, known.created) and ${otherwise}
     else known.${remembered} <> ${hashOf(value)} end, false)`;

/**
 * The author of a post changes only between accounts of the site, and to or from no author; not to or from a member
 * here.
 */
const authorChanged = (post: string) => `
  (${post}.author_id is distinct from author.id
    or author.id is null and ${post}.imported_author_name is distinct from ${authorName})
  and (${post}.author_id is null or exists (
    select from member where id = ${post}.author_id and source_id = ${post}.source_id and email is null))`;

function selectChangedPosts({ sourceId, byVotes }: RefreshOptions): string {
  const columns = `author_id, imported_author_name, source_id, source_license, post.edited_at,
    post.imported_upvotes, post.imported_downvotes`;
  return `
    select known.key, kinds.name as kind, known.id, post.question_id,
      known.kind = 1 and ${differs('name_hash', 'item.title', 'post.title <> item.title')} as title,
      known.kind = 1
        and ${differs('tags_hash', joinedTagKeys, `post.tag_text <> array_to_string(item.tags, ', ')`)} as tags,
      ${differs('content_hash', 'item.content')} as content,
      ${scoreChanged(byVotes)} as score, added_views <> 0 as views, ${authorChanged('post')} as author,
      post.source_license is distinct from item.license or post.edited_at is distinct from item.edited as source,
      case when ${scoreChanged(byVotes)} then more_up else 0 end as up,
      case when ${scoreChanged(byVotes)} then more_down else 0 end as down, added_views
    from archive_known known
    join (values (1, 'question'), (2, 'answer')) kinds (kind, name) on kinds.kind = known.kind
    join archive_post item on item.id = known.key and item.kind = known.kind
    join (
      select 1 as kind, id, id as question_id, title, tag_text, imported_views, ${columns} from question post
        where source_id = ${literal(sourceId)}
      union all select 2, id, question_id, null, null, 0, ${columns} from answer post where source_id = ${literal(sourceId)}
    ) post on post.kind = known.kind and post.id = known.id
    left join archive_score score on score.post_id = known.key ${authorJoin}
    cross join lateral (select
      coalesce(score.up, 0) - coalesce(known.upvotes, post.imported_upvotes) as more_up,
      coalesce(score.down, 0) - coalesce(known.downvotes, post.imported_downvotes) as more_down,
      case when known.kind = 1 then item.views - coalesce(known.views, post.imported_views) else 0 end as added_views
    ) difference
    where known.visible`;
}

/** Archives have no edit times of comments: without a remembered hash, the texts are compared, if no link was rewritten. */
function selectChangedReplies(sourceId: string): string {
  return `
    select known.key, 'reply', known.id, reply.question_id, false, false,
      coalesce(known.content_hash <> ${hashOf('item.content')}, reply.content <> item.content and not item.has_links), more_up <> 0 or more_down <> 0, false,
      ${authorChanged('reply')}, source_license is distinct from item.license, more_up, more_down, 0
    from archive_known_reply known
    join archive_comment item on item.id = known.key
    join reply on reply.id = known.id and reply.source_id = ${literal(sourceId)} ${authorJoin}
    cross join lateral (select
      greatest(item.score, 0) - coalesce(known.upvotes, reply.imported_upvotes) as more_up,
      greatest(-item.score, 0) - coalesce(known.downvotes, reply.imported_downvotes) as more_down) difference
    where known.visible`;
}

/** Locks what changes, in the order of all transactions: questions, answers, replies. */
async function lockChanged(client: ClientBase): Promise<void> {
  await client.query(`
    select from question where id in (select question_id from archive_changed) order by id for no key update`);
  for (const kind of ['answer', 'reply'])
    await client.query(
      `select from ${kind} where id in (select id from archive_changed where kind = $1) order by id for no key update`,
      [kind],
    );
}

/** Runs after the rows are locked: what a member does meanwhile waits. */
async function findEditsHere(client: ClientBase, { isRefresh }: RefreshOptions): Promise<void> {
  // Hidden or deleted while the import waited for the locks.
  for (const kind of ['question', 'answer', 'reply'])
    await client.query(
      `delete from archive_changed where kind = $1 and not exists (select from ${kind} where id = archive_changed.id)`,
      [kind],
    );
  await client.query(
    `update archive_changed changed set locked = question.lock_reason is not null,
       applied = $1 and question.lock_reason is null,
       edited_here = case kind
         when 'question' then ${isEditedHere('question_id', 'changed.id')}
         when 'answer' then ${isEditedHere('answer_id', 'changed.id')}
         else ${isEditedHere('reply_id', 'changed.id')} end
     from question where question.id = changed.question_id`,
    [isRefresh],
  );
  // The times of a text that was edited here are its own.
  await client.query(
    `delete from archive_changed where edited_here and not (title or tags or content or score or views or author)`,
  );
}
