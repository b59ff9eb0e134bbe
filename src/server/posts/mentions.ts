import { parseMarkdown } from '#shared/core/markdown.ts';

/**
 * The ids of the members that a text mentions, each once, in the order of the text: links such as `[@Ann](/profile/12)`
 * outside code, optionally with the site's own address. A text that is shown as it was
 * typed has no links, and no mentions.
 */
export function findMentions(markdown: string, publicUrl: string | null): number[] {
  if (!markdown.includes('[@') || !markdown.includes('/profile/')) return [];
  const memberIds = new Set<number>();
  for (const { children } of parseMarkdown(markdown) ?? [])
    for (const [at, token] of children?.entries() ?? []) {
      const text = children?.[at + 1];
      if (token.type !== 'link_open' || text?.type !== 'text' || !text.content.startsWith('@')) continue;
      const id = parseMemberId(String(token.attrGet('href')), publicUrl);
      if (id !== null) memberIds.add(id);
    }
  return [...memberIds];
}

/** The members whom an edit mentions and the earlier text did not. */
export function findAddedMentions(edit: {
  before: string;
  after: string;
  publicUrl: string | null;
}): number[] {
  const after = findMentions(edit.after, edit.publicUrl);
  if (after.length === 0) return [];
  const before = new Set(findMentions(edit.before, edit.publicUrl));
  return after.filter((id) => !before.has(id));
}

function parseMemberId(url: string, publicUrl: string | null): number | null {
  const site = publicUrl?.replace(/\/+$/u, '') ?? '';
  const path = site !== '' && url.startsWith(`${site}/`) ? url.slice(site.length) : url;
  const [, id] = /^\/profile\/([1-9]\d{0,14})\/?$/u.exec(path) ?? [];
  return id === undefined ? null : Number(id);
}
