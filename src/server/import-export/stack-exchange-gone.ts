import type { ClientBase } from 'pg';
import { sql } from 'kysely';
import { transactionOfClient } from '#server/core/database.ts';
import {
  canRestorePost,
  findHiddenPost,
  hidePost,
  insertLogEntry,
  restorePost,
} from '#server/moderation/index.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { formatNumber } from './stack-exchange-tally.ts';
import { literal } from './stack-exchange-queries.ts';
import { isEditedHere } from './stack-exchange-versions.ts';
import { recountQuestions } from './stack-exchange-recount.ts';

type GonePost = { kind: PostKind; id: number; question_id: number };

/** More missing posts than this, and than this share of all, are a sign of an incomplete archive. */
const missingLimits = { rows: 100, share: 0.2 } as const;

export async function createGoneTable(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_gone (
      kind text not null, id bigint not null, question_id bigint not null, answer_id bigint, reason text) on commit drop`);
}

/**
 * Finds posts and comments that the site no longer has. The table `archive_gone` has them, with the reason to keep one:
 * something happened here that the site's deletion must not take away. Posts that were hidden for it before, and that a
 * moderator restored, stay. Returns the numbers of those that go.
 * @param hasComments whether the archive has the file of comments
 * @throws ArchiveError if so many are missing that the archive looks incomplete, unless that is allowed
 */
export async function findGonePosts(
  client: ClientBase,
  wanted: { sourceId: string; hasComments: boolean; allowMany: boolean },
): Promise<{ posts: number; comments: number }> {
  const source = literal(wanted.sourceId);
  const local = (table: string, condition: string) =>
    `exists (select from ${table} local where ${condition} and local.source_id is distinct from ${source})`;
  const editedBelow = (post: 'answer' | 'reply', above: 'question_id' | 'answer_id') =>
    `exists (select from ${post} below where below.${above} = known.id and ${isEditedHere(`${post}_id`, 'below.id')})`;
  const known = (kind: string, table: string) => `
    from imported_row known join ${kind} post on post.id = known.id
    where known.source_id = ${source} and known.kind = '${kind}' and not known.is_gone
      and not exists (select from ${table} where id = known.source_key::bigint)`;
  await client.query(`
    insert into archive_gone
      select 'question', known.id, known.id, null, case
        when lock_reason is not null then 'on questions that are locked here'
        when ${isEditedHere('question_id', 'known.id')} then 'edited here'
        when ${local('answer', 'local.question_id = known.id')}
          or ${local('reply', 'local.question_id = known.id and local.deleted_at is null')}
          then 'with answers or replies of members here'
        when ${editedBelow('answer', 'question_id')} or ${editedBelow('reply', 'question_id')}
          then 'with answers or replies that were edited here' end
      ${known('question', 'archive_post')};
    insert into archive_gone
      select 'answer', known.id, post.question_id, null, case
        when exists (select from question where id = post.question_id and lock_reason is not null)
          then 'on questions that are locked here'
        when ${isEditedHere('answer_id', 'known.id')} then 'edited here'
        when ${local('reply', 'local.answer_id = known.id and local.deleted_at is null')}
          then 'with answers or replies of members here'
        when ${editedBelow('reply', 'answer_id')} then 'with replies that were edited here' end
      ${known('answer', 'archive_post')};
    insert into archive_gone
      select 'reply', known.id, post.question_id, post.answer_id, case
        when exists (select from question where id = post.question_id and lock_reason is not null)
          then 'on questions that are locked here'
        when ${isEditedHere('reply_id', 'known.id')} then 'edited here' end
      ${known('reply', 'archive_comment')} and post.deleted_at is null and ${String(wanted.hasComments)};`);
  if (!wanted.allowMany) await refuseMany(client, source);
  const { rows } = await client.query<Record<'posts' | 'comments', string>>(`
    select count(*) filter (where kind <> 'reply') as posts, count(*) filter (where kind = 'reply') as comments
    from archive_gone where reason is null`);
  // What is below a post goes with it.
  await client.query(`
    delete from archive_gone below using archive_gone above
    where above.reason is null and below.kind <> above.kind
      and (above.kind = 'question' and above.id = below.question_id
        or above.kind = 'answer' and above.id = below.answer_id)`);
  return { posts: Number(rows[0]?.posts), comments: Number(rows[0]?.comments) };
}

async function refuseMany(client: ClientBase, source: string): Promise<void> {
  const { rows } = await client.query<{ kind: string; gone: string; known: string }>(
    `select kind, count(*) as gone, (
       select count(*) from imported_row where source_id = ${source} and imported_row.kind = archive_gone.kind) as known
     from archive_gone group by kind`,
  );
  const names: Readonly<Record<string, string>> = {
    question: 'questions',
    answer: 'answers',
    reply: 'comments',
  };
  for (const { kind, gone, known } of rows)
    refuseMissing(names[kind] ?? kind, { gone: Number(gone), known: Number(known) });
}

/** @throws ArchiveError if so many of the known rows are gone that the archive looks incomplete */
export function refuseMissing(what: string, { gone, known }: { gone: number; known: number }): void {
  if (gone <= missingLimits.rows || gone <= known * missingLimits.share) return;
  throw new ArchiveError(
    `${formatNumber(gone)} of ${formatNumber(known)} imported ${what} are missing ` +
      'in this archive, so it looks incomplete. If the site deleted them, import it with --allow-removals; ' +
      'to add only what is new, with --add-only.',
  );
}

/** Hides the posts that the site deleted, as a moderator would. Moderators can restore them. */
export async function hideGonePosts(
  client: ClientBase,
  { sourceId, site, runId }: { sourceId: string; site: string; runId: string },
): Promise<void> {
  const tx = transactionOfClient(client);
  const { rows } = await sql<GonePost>`
    select kind, id, question_id from archive_gone where reason is null order by question_id, kind, id`.execute(
    tx,
  );
  const reason = `Deleted on ${site}`;
  for (const { kind, id, question_id: questionId } of rows) {
    const hidden = await hidePost(tx, {
      post: { kind, id },
      status: 'hidden',
      reason,
      activityRemovalId: null,
    });
    if (hidden === undefined) continue;
    await sql`update hidden_post set import_run_id = ${runId} where id = ${hidden.hidden_post_id}`.execute(
      tx,
    );
    await insertLogEntry(tx, {
      moderatorId: null,
      action: 'hide',
      reason,
      post: { kind, id, questionId },
      memberId: hidden.author_id,
      before: {},
    });
  }
  if (rows.length === 0) return;
  // Also what was below a hidden post and is missing itself.
  for (const [kind, table] of [
    ['question', 'archive_post'],
    ['answer', 'archive_post'],
    ['reply', 'archive_comment'],
  ] as const)
    await client.query(
      `update imported_row known set is_gone = true
       from base_${kind} post join hidden_post on hidden_post.id = post.hidden_by
       where hidden_post.import_run_id = $2 and known.source_id = $1 and known.kind = $3 and known.id = post.id
         and not exists (select from ${table} where id = known.source_key::bigint)`,
      [sourceId, runId, kind],
    );
}

/**
 * Shows the posts again that an import hid because the site had deleted them, and that the archive has again. Runs before
 * existing posts are looked up. Returns how many.
 */
export async function showReappeared(client: ClientBase, sourceId: string): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `select hidden.id from hidden_post hidden
     join imported_row known on known.source_id = $1 and known.kind = hidden.post_kind and known.id = hidden.post_id
     where hidden.import_run_id is not null and case hidden.post_kind
       when 'reply' then exists (select from archive_comment where id = known.source_key::bigint)
       else exists (select from archive_post where id = known.source_key::bigint) end`,
    [sourceId],
  );
  return showHiddenPosts(client, { sourceId, ids: rows.map(({ id }) => Number(id)) });
}

/** Shows these hidden posts, questions first. Posts below a hidden one stay. Returns how many are shown. */
export async function showHiddenPosts(
  client: ClientBase,
  { sourceId, ids }: { sourceId: string; ids: readonly number[] },
): Promise<number> {
  const tx = transactionOfClient(client);
  const { rows } = await sql<GonePost & { hidden_id: number }>`
    select id as hidden_id, post_kind as kind, post_id as id, question_id from hidden_post
    where id = any(${[...ids]}::bigint[])
    order by array_position(array['question', 'answer', 'reply'], post_kind), question_id, post_id`.execute(
    tx,
  );
  const shown: number[] = [];
  for (const { hidden_id: hiddenId, kind, id, question_id: questionId } of rows) {
    const hidden = await findHiddenPost(tx, { kind, id });
    if (hidden === undefined || !(await canRestorePost(tx, hidden))) continue;
    for (const table of ['question', 'answer', 'reply'])
      await sql`
        update imported_row known set is_gone = false from ${sql.table(`base_${table}`)} post
        where post.hidden_by = ${hiddenId} and known.source_id = ${sourceId}::bigint and known.kind = ${table}
          and known.id = post.id`.execute(tx);
    await restorePost(tx, hidden);
    await insertLogEntry(tx, {
      moderatorId: null,
      action: 'restore',
      reason: '',
      post: { kind, id, questionId },
      memberId: hidden.author_id,
      before: {},
    });
    shown.push(questionId);
  }
  // The lists of questions are as if the posts had never been hidden.
  await recountQuestions(client, `select unnest(array[${shown.join(', ')}]::bigint[])`);
  return shown.length;
}
