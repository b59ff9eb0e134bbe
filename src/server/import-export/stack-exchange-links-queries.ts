import type { ClientBase } from 'pg';
import { findPostLinks, type PostLink, replacePostLinks } from './stack-exchange-links.ts';
import { countOwnLinks, minLinks } from './stack-exchange-site.ts';
import type { ImportSource } from './stack-exchange-sources.ts';
import { isEditedHere } from './stack-exchange-versions.ts';

/** Texts that are read and written at once. */
const batchSize = 200;

/**
 * Rewrites links between posts of the archive as links to their pages here, also in texts of earlier imports, whose
 * targets this one may have added. Texts that were edited here stay.
 */
export async function rewritePostLinks(client: ClientBase, source: ImportSource): Promise<number> {
  await client.query('create temporary table archive_relinked (question_id bigint not null) on commit drop');
  const hosts = await getLinkHosts(client, source);
  return rewriteLinks(client, {
    posts: `
      select case when answer_id is null then 'question' else 'answer' end, coalesce(answer_id, question_id)
      from archive_post post join archive_location location on location.key = post.id
      where post.has_links and not exists (select from archive_locked where id = location.question_id)
        and (location.is_new or not case when answer_id is null
          then ${isEditedHere('question_id', 'location.question_id')}
          else ${isEditedHere('answer_id', 'location.answer_id')} end)
      union all
      select 'reply', coalesce(new_reply.id, known.id)
      from archive_comment comment join archive_location location on location.key = comment.post_id
      left join archive_new_reply new_reply on new_reply.key = comment.id
      left join archive_known_reply known on known.key = comment.id and known.visible
      where comment.has_links and coalesce(new_reply.id, known.id) is not null
        and (new_reply.id is not null or not ${isEditedHere('reply_id', 'known.id')})
        and not exists (select from archive_locked where id = location.question_id)`,
    findLinks: (markdown) => findPostLinks(markdown, hosts),
  });
}

/**
 * Rewrites links in posts as links to the pages of posts in `archive_location`. Links to posts that are not here stay. The
 * table `archive_relinked` gets the questions with changed texts. Returns the number of rewritten links.
 *
 * Runs after existing questions were recounted: it locks questions, answers and replies in this order.
 * @param posts SQL that selects the kind and the id of posts
 */
export async function rewriteLinks(
  client: ClientBase,
  { posts, findLinks, findPaths }: { posts: string; findLinks: FindLinks; findPaths?: FindPaths },
): Promise<number> {
  await client.query(`
    create temporary table archive_linking (kind text not null, id bigint not null, primary key (kind, id))
      on commit drop;
    insert into archive_linking ${posts};
    analyze archive_linking;`);
  let links = 0;
  for (const table of ['question', 'answer', 'reply'] as const) {
    const texts = `select id, content from archive_linking join ${table} using (id) where kind = '${table}'`;
    for await (const { ids, contents, replaced } of linkTexts(client, texts, findLinks, findPaths)) {
      await client.query(
        `with changed as (
           update ${table} set content = rewritten.content
           from unnest($1::bigint[], $2::text[]) as rewritten (id, content) where ${table}.id = rewritten.id
           returning ${table === 'question' ? 'question.id' : `${table}.question_id`} as question_id)
         insert into archive_relinked select question_id from changed`,
        [ids, contents],
      );
      links += replaced;
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

type FindLinks = (markdown: string) => PostLink[];
/** Returns the paths here by the numbers of links. */
type FindPaths = (client: ClientBase, numbers: readonly number[]) => Promise<Map<number, string>>;

/** Texts with rewritten links, and how many links these are. */
type LinkedTexts = { ids: string[]; contents: string[]; replaced: number };

/**
 * Rewrites links to imported posts in batches of texts. The batches have the texts that change.
 * @param texts SQL that selects the id and the content of texts
 */
export async function* linkTexts(
  client: ClientBase,
  texts: string,
  findLinks: FindLinks,
  findPaths: FindPaths = findPostPaths,
): AsyncGenerator<LinkedTexts> {
  const read = async (after: string | null) =>
    (
      await client.query<{ id: string; content: string }>(
        `select id, content from (${texts}) text where $1::bigint is null or id > $1 order by id limit ${batchSize}`,
        [after],
      )
    ).rows;
  let rows = await read(null);
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    const linked = rows.map((row) => ({ ...row, links: findLinks(row.content) }));
    const paths = await findPaths(
      client,
      linked.flatMap(({ links }) => links.flatMap(({ posts }) => posts)),
    );
    const getPath = (posts: readonly number[]) => {
      const post = posts.find((each) => paths.has(each));
      return post === undefined ? null : (paths.get(post) ?? null);
    };
    const changed = linked
      .map(({ id, content, links }) => ({ id, ...replacePostLinks(content, links, getPath) }))
      .filter(({ replaced }) => replaced > 0);
    if (changed.length > 0)
      yield {
        ids: changed.map(({ id }) => id),
        contents: changed.map(({ content }) => content),
        replaced: changed.reduce((sum, { replaced }) => sum + replaced, 0),
      };
    rows = await read(last.id);
  }
}

/** Returns the paths of posts by their numbers in the archive. */
export async function findPostPaths(
  client: ClientBase,
  posts: readonly number[],
): Promise<Map<number, string>> {
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
