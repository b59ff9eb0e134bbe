import type { ClientBase } from 'pg';
import { findLinks } from './stack-exchange-links.ts';
import { rewriteLinks } from './stack-exchange-links-queries.ts';
import { canonicalHost } from './stack-exchange-site.ts';

/** Whether a text may have a link to a question or answer of a Parley, without parsing it. */
export const mayLinkToQuestions = (markdown: string): boolean => /\/question\/\d/u.test(markdown);

/** Rewrites links between posts of an export as links to their pages here. Returns their number. */
export function rewriteLineLinks(client: ClientBase, site: string): Promise<number> {
  return rewriteLinks(client, {
    posts: `
      select (array['question', 'answer', 'reply'])[kind], new_id from line_post where is_new and has_links`,
    findLinks: (markdown) => findLinks(markdown, (address) => getLinkedRows(address, site)),
  });
}

/**
 * Returns the keys in `archive_location` of what an address leads to, the best target first: 2 × id for questions,
 * 2 × id + 1 for answers.
 */
export function getLinkedRows(address: string, site: string): number[] {
  const url = URL.parse(address, `https://${site}`);
  if (url === null || !/^https?:$/u.test(url.protocol) || canonicalHost(url.host) !== site) return [];
  const question = /^\/question\/([1-9]\d{0,14})(?:\/|$)/u.exec(url.pathname)?.[1];
  if (question === undefined) return [];
  const answer = /^#answer-([1-9]\d{0,14})$/u.exec(url.hash)?.[1];
  return [...(answer === undefined ? [] : [2 * Number(answer) + 1]), 2 * Number(question)];
}
