import type { ClientBase } from 'pg';
import { findLinks } from './stack-exchange-links.ts';
import { findPostPaths, linkTexts, rewriteLinks } from './stack-exchange-links-queries.ts';
import { canonicalHost } from './stack-exchange-site.ts';

/** The start of a link to a page of its community, for JavaScript and PostgreSQL. */
const ownLink = String.raw`/(question|profile)/[0-9]|\](\(|:)\s*<?/`;
const ownLinkPattern = new RegExp(ownLink, 'u');

/** Whether a text may have a link to a page of its community, without parsing it. */
export const mayHaveOwnLinks = (markdown: string): boolean => ownLinkPattern.test(markdown);

type Source = {
  site: string;
  /** The address of the source without a trailing slash: 'https://ask.example.org'. */
  origin: string;
  /** Posts keep their ids, so only links to members with another id change. */
  keepsIds: boolean;
};

/**
 * Rewrites links and mentions in the new texts: those to posts and members of the files lead to their pages here. Unless
 * everything moves, other relative addresses become absolute, because other posts and members have these numbers here.
 * Returns the number of rewritten links in posts.
 */
export async function rewriteLineLinks(client: ClientBase, source: Source): Promise<number> {
  const changedMembers = source.keepsIds ? await listMembersWithOtherIds(client) : [];
  if (source.keepsIds && changedMembers.length === 0) return 0;
  const getRows = (address: string) =>
    getLinkedRows(address, source.site).filter((row) => !source.keepsIds || changedMembers.includes(-row));
  const getOrigin = (address: string) =>
    source.keepsIds || !/^\/(?!\/|uploads\/)/u.test(address) ? null : source.origin;
  const find = (markdown: string) => findLinks(markdown, getRows, getOrigin);
  for (const { table, column, texts } of otherTexts)
    for await (const { ids, contents } of linkTexts(client, texts, find, findPaths))
      await client.query(
        `update ${table} set ${column} = rewritten.content
         from unnest($1::bigint[], $2::text[]) as rewritten (id, content) where ${table}.id = rewritten.id`,
        [ids, contents],
      );
  return rewriteLinks(client, {
    posts: `
      select (array['question', 'answer', 'reply'])[kind], new_id from line_post where is_new and has_links`,
    findLinks: find,
    findPaths,
  });
}

const otherTexts = [
  {
    table: 'member',
    column: 'bio',
    texts: `select id, bio as content from member where id in (select new_id from line_member where is_new)
      and bio ~ '${ownLink}'`,
  },
  {
    table: 'revision',
    column: 'content',
    texts: `select revision.id, revision.content from revision join line_post post on post.is_new
      and post.new_id = case post.kind when 1 then question_id when 2 then answer_id else reply_id end
      and revision.content ~ '${ownLink}'`,
  },
] as const;

/** The numbers in the files of members who have another id here. In a move, these are the ids that accounts here had. */
async function listMembersWithOtherIds(client: ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ key: string }>('select key from line_author where id <> key');
  return rows.map(({ key }) => Number(key));
}

/** Returns the paths of posts and members. */
async function findPaths(client: ClientBase, numbers: readonly number[]): Promise<Map<number, string>> {
  const paths = await findPostPaths(client, numbers);
  const members = numbers.filter((number) => number < 0).map((number) => -number);
  const { rows } = await client.query<{ key: string; id: string }>(
    'select key, id from line_author where key = any($1::bigint[])',
    [[...new Set(members)]],
  );
  for (const { key, id } of rows) paths.set(-Number(key), `/profile/${id}`);
  return paths;
}

/**
 * Returns the numbers of what an address leads to, the best target first: 2 × id for questions and 2 × id + 1 for answers,
 * which are keys in `archive_location`, and −id for members.
 */
export function getLinkedRows(address: string, site: string): number[] {
  const url = URL.parse(address, `https://${site}`);
  if (url === null || !/^https?:$/u.test(url.protocol) || canonicalHost(url.host) !== site) return [];
  const [, page, number] = /^\/(question|profile)\/([1-9]\d{0,14})(?:\/|$)/u.exec(url.pathname) ?? [];
  if (number === undefined) return [];
  if (page === 'profile') return [-Number(number)];
  const answer = /^#answer-([1-9]\d{0,14})$/u.exec(url.hash)?.[1];
  return [...(answer === undefined ? [] : [2 * Number(answer) + 1]), 2 * Number(number)];
}
