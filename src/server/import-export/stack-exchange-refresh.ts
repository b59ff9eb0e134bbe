import { type RawBuilder, sql } from 'kysely';
import type { ClientBase } from 'pg';
import { transactionOfClient } from '#server/core/database.ts';
import { appendStatistics, changeAuthorCounts } from '#server/posts/index.ts';
import { authorJoin, authorName, contentColumn, hashOf, joinedTagKeys } from './stack-exchange-queries.ts';

/**
 * Subtracts the posts that will change from statistics and from the counts of their authors, while they are as before.
 * Returns a function that adds them again. It runs after all changes, and before authors of new posts are recounted.
 */
export async function restatePosts(client: ClientBase): Promise<() => Promise<void>> {
  await client.query(`
    create temporary table archive_restated on commit drop as
    select kind, id from archive_changed where applied and (score or views or author or tags and not edited_here)
    union
    select 'answer', answer.id from archive_changed changed join answer on answer.question_id = changed.id
    where changed.kind = 'question' and applied and tags and not edited_here;
    analyze archive_restated;`);
  const tx = transactionOfClient(client);
  const idsOf = (kind: string) => sql`in (select id from archive_restated where kind = ${sql.lit(kind)})`;
  const restated: Record<'question' | 'answer' | 'reply', RawBuilder<unknown>> = {
    question: idsOf('question'),
    answer: idsOf('answer'),
    reply: idsOf('reply'),
  };
  const moved = await listMovedPosts(client);
  await appendStatistics(tx, restated, -1);
  await changeAuthorCounts(tx, moved, -1);
  return async () => {
    await appendStatistics(tx, restated, 1);
    await changeAuthorCounts(tx, moved, 1);
  };
}

/** The posts that get another author. */
async function listMovedPosts(client: ClientBase) {
  const { rows } = await client.query<{ kind: string; id: string }>(
    'select kind, id from archive_changed where applied and author order by kind, id',
  );
  const ids = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => Number(id));
  return { questionIds: ids('question'), answerIds: ids('answer'), replyIds: ids('reply') };
}

/** Changes counts, authors and texts of existing posts to those of the archive. Tags, marks and links follow. */
export async function refreshPosts(client: ClientBase, siteAddress: string): Promise<void> {
  for (const kind of ['question', 'answer', 'reply'] as const) {
    const from = `archive_changed changed
      join archive_${kind === 'reply' ? 'comment' : 'post'} item on item.id = changed.key ${authorJoin}
      where changed.kind = '${kind}' and changed.applied and post.id = changed.id`;
    const edited =
      kind === 'reply' ? '' : ', edited_at = case when edited_here then post.edited_at else item.edited end';
    const views =
      kind === 'question'
        ? ', views = post.views + added_views, imported_views = greatest(imported_views + added_views, 0)'
        : '';
    await client.query(`
      update ${kind} post set upvotes = upvotes + up, imported_upvotes = imported_upvotes + up,
        downvotes = downvotes + down, imported_downvotes = imported_downvotes + down, source_license = item.license,
        author_id = case when changed.author then author.id else author_id end,
        imported_author_name = case when changed.author then ${authorName} else imported_author_name end ${edited} ${views}
      from ${from}`);
    const text = {
      question: `title = item.title, excerpt = case when changed.content then item.excerpt else post.excerpt end,
        excerpt_cut = case when changed.content then item.excerpt_cut else post.excerpt_cut end,`,
      answer: '',
      reply: '',
    }[kind];
    const content = kind === 'reply' ? 'item.content' : contentColumn('$1');
    await client.query(
      `update ${kind} post set ${text} content = case when changed.content then ${content} else post.content end
       from ${from} and (changed.title or changed.content) and not edited_here`,
      kind === 'reply' ? [] : [siteAddress],
    );
  }
}

/** Remembers what the archive has, for the next import. Not what stays as it is here. */
export async function rememberArchive(client: ClientBase, sourceId: string): Promise<void> {
  const hashAfter = (what: string, hash: string, value: string) =>
    `case when changed.edited_here and changed.${what} then known.${hash} else ${hashOf(value)} end`;
  await client.query(
    `with state as (
       select row.kind, row.source_key, ${hashAfter('content', 'content_hash', 'item.content')} as content_hash,
         case when row.kind = 'question' then ${hashAfter('title', 'name_hash', 'item.title')} end as name_hash,
         case when row.kind = 'question' then ${hashAfter('tags', 'tags_hash', joinedTagKeys)} end as tags_hash,
         coalesce(question.imported_upvotes, answer.imported_upvotes) as upvotes,
         coalesce(question.imported_downvotes, answer.imported_downvotes) as downvotes,
         case when row.kind = 'question' then item.views end as views,
         case when changed.edited_here and changed.content then known.edited
           else greatest(item.edited, edited.latest) end as edited_at
       from archive_known known
       join archive_post item on item.id = known.key and item.kind = known.kind
       join imported_row row on row.source_id = $1 and row.source_key = known.key::text
         and row.kind = case known.kind when 1 then 'question' else 'answer' end
       left join archive_changed changed on changed.kind = row.kind and changed.id = known.id
       left join archive_edited edited on edited.post_id = known.key
       left join question on known.kind = 1 and question.id = known.id
       left join answer on known.kind = 2 and answer.id = known.id
       where known.visible and changed.locked is not true)
     update imported_row row set content_hash = state.content_hash, name_hash = state.name_hash,
       tags_hash = state.tags_hash, upvotes = state.upvotes, downvotes = state.downvotes, views = state.views,
       edited_at = state.edited_at
     from state where row.source_id = $1 and row.kind = state.kind and row.source_key = state.source_key
       and (row.content_hash, row.name_hash, row.tags_hash, row.upvotes, row.downvotes, row.views, row.edited_at)
         is distinct from (state.content_hash, state.name_hash, state.tags_hash, state.upvotes, state.downvotes,
           state.views, state.edited_at)`,
    [sourceId],
  );
  await client.query(
    `update imported_row row set content_hash = ${hashAfter('content', 'content_hash', 'item.content')},
       upvotes = reply.imported_upvotes, downvotes = reply.imported_downvotes
     from archive_known_reply known join archive_comment item on item.id = known.key
     join reply on reply.id = known.id
     left join archive_changed changed on changed.kind = 'reply' and changed.id = known.id
     where known.visible and changed.locked is not true and row.source_id = $1 and row.kind = 'reply'
       and row.source_key = known.key::text and (changed.id is not null or row.content_hash is null)`,
    [sourceId],
  );
}
