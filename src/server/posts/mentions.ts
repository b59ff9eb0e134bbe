import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { isCheapToParse } from '#shared/core/markdown-cost.ts';

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

/**
 * The ids of the members that a text mentions, each once, in the order of the text: links such as `[@Ann](/profile/12)`
 * outside code, optionally with the site's own address. A text that is too expensive to parse has no mentions: it is
 * shown as plain text without links.
 */
export function findMentions(markdown: string, publicUrl: string | null): number[] {
  if (!markdown.includes('[@') || !markdown.includes('/profile/') || !isCheapToParse(markdown)) return [];
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const memberIds = new Set<number>();
  const open: Node[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const id = node.type === 'link' && isMention(node) ? parseMemberId(node.url, publicUrl) : null;
    if (id !== null) memberIds.add(id);
    if ('children' in node) open.push(...node.children.toReversed());
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

function isMention(link: Node & { type: 'link' }): boolean {
  const [first] = link.children;
  return first?.type === 'text' && first.value.startsWith('@');
}

function parseMemberId(url: string, publicUrl: string | null): number | null {
  const site = publicUrl?.replace(/\/+$/u, '') ?? '';
  const path = site !== '' && url.startsWith(`${site}/`) ? url.slice(site.length) : url;
  const [, id] = /^\/profile\/([1-9]\d{0,14})\/?$/u.exec(path) ?? [];
  return id === undefined ? null : Number(id);
}
