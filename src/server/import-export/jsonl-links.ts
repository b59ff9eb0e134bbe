import type { ClientBase } from 'pg';
import { findLinks, replacePostLinks } from './stack-exchange-links.ts';
import { canonicalHost } from './stack-exchange-site.ts';

/** Texts that are read and written at once. */
const batchSize = 200;

/** Whether a text may have a link to a question or answer of a Parley, without parsing it. */
export const mayLinkToQuestions = (markdown: string): boolean => /\/question\/\d/u.test(markdown);

/**
 * Rewrites links between posts of an export as links to their pages here. Returns the number of rewritten links. Links to
 * posts that are not here stay.
 */
export async function rewriteLineLinks(client: ClientBase, site: string): Promise<number> {
  let links = 0;
  for (const [kind, table] of [
    [1, 'question'],
    [2, 'answer'],
    [3, 'reply'],
  ] as const) {
    let texts = await readTexts(client, kind, '0');
    for (let last = texts.at(-1); last !== undefined; last = texts.at(-1)) {
      links += await rewriteTexts(client, { table, texts, site });
      texts = await readTexts(client, kind, last.id);
    }
  }
  return links;
}

type Text = { id: string; content: string };

async function readTexts(client: ClientBase, kind: number, after: string): Promise<Text[]> {
  const { rows } = await client.query<Text>(
    `select new_id as id, content from line_post
     where kind = $1 and is_new and has_links and new_id > $2 order by new_id limit ${batchSize}`,
    [kind, after],
  );
  return rows;
}

async function rewriteTexts(
  client: ClientBase,
  { table, texts, site }: { table: 'question' | 'answer' | 'reply'; texts: readonly Text[]; site: string },
): Promise<number> {
  const linked = texts.map((text) => ({
    ...text,
    links: findLinks(text.content, (address) => getLinkedRows(address, site)),
  }));
  const paths = await findPaths(
    client,
    linked.flatMap(({ links }) => links.flatMap(({ posts }) => posts)),
  );
  const getPath = (rows: readonly number[]) => {
    const row = rows.find((each) => paths.has(each));
    return row === undefined ? null : (paths.get(row) ?? null);
  };
  const changed = linked
    .map(({ id, content, links }) => ({ id, ...replacePostLinks(content, links, getPath) }))
    .filter(({ replaced }) => replaced > 0);
  if (changed.length === 0) return 0;
  await client.query(
    `update ${table} set content = rewritten.content
     from unnest($1::bigint[], $2::text[]) as rewritten (id, content) where ${table}.id = rewritten.id`,
    [changed.map(({ id }) => id), changed.map(({ content }) => content)],
  );
  return changed.reduce((sum, { replaced }) => sum + replaced, 0);
}

/**
 * Returns what an address leads to, the best target first: questions as 2 × id, answers as 2 × id + 1, so that one number
 * tells both.
 */
export function getLinkedRows(address: string, site: string): number[] {
  const url = URL.parse(address, `https://${site}`);
  if (url === null || !/^https?:$/u.test(url.protocol) || canonicalHost(url.host) !== site) return [];
  const question = /^\/question\/([1-9]\d{0,14})(?:\/|$)/u.exec(url.pathname)?.[1];
  if (question === undefined) return [];
  const answer = /^#answer-([1-9]\d{0,14})$/u.exec(url.hash)?.[1];
  return [...(answer === undefined ? [] : [2 * Number(answer) + 1]), 2 * Number(question)];
}

async function findPaths(client: ClientBase, rows: readonly number[]): Promise<Map<number, string>> {
  const found = await client.query<{ key: string; question: string; answer: string | null }>(
    `select 2 * id + kind - 1 as key, new_question as question, new_answer as answer from line_post
     where (kind, id) in (select 1 + key % 2, key / 2 from unnest($1::bigint[]) as wanted (key)) and new_question is not null`,
    [[...new Set(rows)]],
  );
  return new Map(
    found.rows.map(({ key, question, answer }) => [
      Number(key),
      `/question/${question}${answer === null ? '' : `#answer-${answer}`}`,
    ]),
  );
}
