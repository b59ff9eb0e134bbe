import type { ClientBase } from 'pg';
import { limits } from '#shared/core/limits.ts';
import { findLinks } from './stack-exchange-links.ts';
import { findPostPaths, linkTexts, rewriteLinks } from './stack-exchange-links-queries.ts';
import { canonicalHost } from './stack-exchange-site.ts';

/** The start of a link to a page of its community, for JavaScript and PostgreSQL. */
export const ownLink = String.raw`/(question|profile)/[0-9]|\](\(|:)\s*<?/`;
const ownLinkPattern = new RegExp(ownLink, 'u');

/** Characters of an imported bio. */
export const maxBioLength = 100_000;

/** Whether a text may have a link to a page of its community, without parsing it. */
export const mayHaveOwnLinks = (markdown: string): boolean => ownLinkPattern.test(markdown);

type Source = {
  site: string;
  /** The address of the source: 'https://ask.example.org'. */
  origin: string;
  /** If everything moves, the numbers in the files of members who get another id: only links to these change. */
  renumbered: ReadonlySet<number> | null;
};

/**
 * Rewrites links and mentions in the new texts: those to posts and members of the files lead to their pages here. Unless
 * everything moves, other relative addresses become absolute, because other posts and members have these numbers here.
 * Runs before the texts of tags are added. Returns the number of rewritten links in posts.
 */
export async function rewriteLineLinks(
  client: ClientBase,
  { site, origin, renumbered }: Source,
): Promise<number> {
  if (renumbered?.size === 0) return 0;
  const root = new URL(origin).origin;
  const getRows = (address: string) =>
    getLinkedRows(address, site).filter((row) => renumbered === null || renumbered.has(-row));
  const getOrigin = (address: string) =>
    renumbered !== null || !/^\/(?!\/|uploads\/)/u.test(address) ? null : root;
  const find = (markdown: string) => findLinks(markdown, getRows, getOrigin);
  for (const { table, key, column, limit, texts } of otherTexts)
    for await (const { ids, contents } of linkTexts(client, texts, find, findPaths))
      await client.query(
        `update ${table} set ${column} = rewritten.content
         from unnest($1::bigint[], $2::text[]) as rewritten (id, content)
         where ${table}.${key} = rewritten.id and ($3::integer is null or char_length(rewritten.content) <= $3)`,
        [ids, contents, limit],
      );
  return rewriteLinks(client, {
    posts: `
      select (array['question', 'answer', 'reply'])[kind], new_id from line_post where is_new and has_links`,
    findLinks: find,
    findPaths,
  });
}

/** Texts besides those of posts. One that would be longer than its limit stays as it is. */
const otherTexts = [
  {
    table: 'member',
    key: 'id',
    column: 'bio',
    limit: maxBioLength,
    texts: `select id, bio as content from member where id in (select new_id from line_member where is_new)
      and bio ~ '${ownLink}'`,
  },
  {
    table: 'revision',
    key: 'id',
    column: 'content',
    limit: null,
    texts: 'select id, content from line_linked_revision join revision using (id)',
  },
  {
    table: 'line_tag',
    key: 'line',
    column: 'about',
    limit: limits.tagAbout,
    texts: `select line as id, about as content from line_tag where about ~ '${ownLink}'`,
  },
] as const;

/**
 * Returns the numbers in the files of members who get another id in a move, because an account here has theirs. Runs
 * before the members are added. A dry run adds them with other ids.
 */
export async function listRenumberedMembers(client: ClientBase): Promise<Set<number>> {
  const { rows } = await client.query<{ id: string }>(`
    select id from line_member
    where case when is_new then exists (select from member where member.id = line_member.id)
      else id <> coalesce((select into_id from account_merge where member_id = new_id), new_id) end`);
  return new Set(rows.map(({ id }) => Number(id)));
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
