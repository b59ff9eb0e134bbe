import type { ClientBase } from 'pg';
import { findPostLinks, replacePostLinks } from './stack-exchange-links.ts';
import { countOwnLinks, minLinks } from './stack-exchange-site.ts';
import type { ImportSource } from './stack-exchange-sources.ts';

/** Texts that are read and written at once. */
const batchSize = 200;

/**
 * Rewrites links between posts of the archive as links to their pages here, also in texts of earlier imports, whose
 * targets this one may have added. Links to posts that are not here stay. Returns the number of rewritten links.
 *
 * Runs after existing questions were recounted: it locks questions, answers and replies in this order.
 */
export async function rewritePostLinks(client: ClientBase, source: ImportSource): Promise<number> {
  await client.query(`
    create temporary table archive_linking (kind text not null, id bigint not null, primary key (kind, id))
      on commit drop;
    create temporary table archive_relinked (question_id bigint not null) on commit drop;
    insert into archive_linking
    select case when answer_id is null then 'question' else 'answer' end, coalesce(answer_id, question_id)
    from archive_post post join archive_location location on location.key = post.id
    where post.has_links and not exists (select from archive_locked where id = location.question_id)
    union all
    select 'reply', coalesce(new_reply.id, known.id)
    from archive_comment comment join archive_location location on location.key = comment.post_id
    left join archive_new_reply new_reply on new_reply.key = comment.id
    left join archive_known_reply known on known.key = comment.id and known.visible
    where comment.has_links and coalesce(new_reply.id, known.id) is not null
      and not exists (select from archive_locked where id = location.question_id);
    analyze archive_linking;`);
  const hosts = await getLinkHosts(client, source);
  let links = 0;
  for (const table of ['question', 'answer', 'reply'] as const) {
    let texts = await readTexts(client, table, '0');
    for (let last = texts.at(-1); last !== undefined; last = texts.at(-1)) {
      links += await rewriteTexts(client, table, texts, hosts);
      texts = await readTexts(client, table, last.id);
    }
  }
  return links;
}

/** All names of the site: also an old name that only links have, if they have the number and title of questions. */
export async function getLinkHosts(
  client: ClientBase,
  { site, formerSites }: ImportSource,
): Promise<string[]> {
  const linked = (await countOwnLinks(client)).filter(({ links }) => links >= minLinks);
  return [...new Set([site, ...formerSites, ...linked.map(({ host }) => host)])];
}

type Table = 'question' | 'answer' | 'reply';
type Text = { id: string; content: string };

async function readTexts(client: ClientBase, table: Table, after: string): Promise<Text[]> {
  const { rows } = await client.query<Text>(
    `select id, content from archive_linking join ${table} using (id)
     where kind = $1 and id > $2 order by id limit ${batchSize}`,
    [table, after],
  );
  return rows;
}

async function rewriteTexts(
  client: ClientBase,
  table: Table,
  texts: readonly Text[],
  hosts: readonly string[],
): Promise<number> {
  const changed = await linkTexts(client, texts, hosts);
  if (changed.length === 0) return 0;
  await client.query(
    `with changed as (
       update ${table} set content = rewritten.content
       from unnest($1::bigint[], $2::text[]) as rewritten (id, content) where ${table}.id = rewritten.id
       returning ${table === 'question' ? 'question.id' : `${table}.question_id`} as question_id)
     insert into archive_relinked select question_id from changed`,
    [changed.map(({ id }) => id), changed.map(({ content }) => content)],
  );
  return changed.reduce((sum, { replaced }) => sum + replaced, 0);
}

/** Returns the texts with links to imported posts, with these links rewritten, and how many there are. */
export async function linkTexts(
  client: ClientBase,
  texts: readonly Text[],
  hosts: readonly string[],
): Promise<(Text & { replaced: number })[]> {
  const linked = texts.map((text) => ({ ...text, links: findPostLinks(text.content, hosts) }));
  const paths = await findPaths(
    client,
    linked.flatMap(({ links }) => links.flatMap(({ posts }) => posts)),
  );
  const getPath = (posts: readonly number[]) => {
    const post = posts.find((each) => paths.has(each));
    return post === undefined ? null : (paths.get(post) ?? null);
  };
  return linked
    .map(({ id, content, links }) => ({ id, ...replacePostLinks(content, links, getPath) }))
    .filter(({ replaced }) => replaced > 0);
}

/** Returns the paths of posts by their numbers in the archive. */
async function findPaths(client: ClientBase, posts: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ key: string; question_id: string; answer_id: string | null }>(
    'select key, question_id, answer_id from archive_location where key = any($1::bigint[])',
    [[...new Set(posts)]],
  );
  return new Map(rows.map((row) => [Number(row.key), getPostPath(row)]));
}

/** As `questionPath` and `answerPath` of the web app (src/web/core/paths.ts). */
export function getPostPath(post: { question_id: string; answer_id: string | null }): string {
  return `/question/${post.question_id}${post.answer_id === null ? '' : `#answer-${post.answer_id}`}`;
}
