import type { Image, ImageReference, Link, LinkReference } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';
import { visit } from 'unist-util-visit';
import { isCheapForMicromark } from './micromark-cost.ts';

/** A picture on another site in a Markdown text. `from` and `to` are in UTF-16 units. */
type TextPicture = { address: string; alt: string; from: number; to: number };

/** The addresses of the pictures on other sites that a text shows, each once. */
export const findPictureAddresses = (markdown: string): string[] => [
  ...new Set(findPictures(markdown).map(({ address }) => address)),
];

/**
 * Shows pictures of this site instead of those on other sites.
 * @param paths the paths of pictures of this site by the addresses of those that they replace
 */
export function replacePictures(markdown: string, paths: ReadonlyMap<string, string>): string {
  let replaced = '';
  let end = 0;
  for (const { address, alt, from, to } of findPictures(markdown)) {
    const url = paths.get(address);
    if (url === undefined) continue;
    replaced += markdown.slice(end, from) + toMarkdown({ type: 'image', url, alt }).trimEnd();
    end = to;
  }
  return replaced + markdown.slice(end);
}

/** In the order of the text. None in a text that micromark takes too long for. */
function findPictures(markdown: string): TextPicture[] {
  if (!markdown.includes('![') || !isCheapForMicromark(markdown)) return [];
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const definitions = new Map<string, string>();
  visit(tree, 'definition', ({ identifier, url }) => {
    if (!definitions.has(identifier)) definitions.set(identifier, url);
  });
  const addressOf = (node: Image | ImageReference | Link | LinkReference) =>
    normalize('url' in node ? node.url : (definitions.get(node.identifier) ?? ''));
  const pictures: TextPicture[] = [];
  visit(tree, ['image', 'imageReference'], (node, _, parent) => {
    const picture = node as Image | ImageReference;
    const address = addressOf(picture);
    // Stack Exchange links a picture to itself. A picture of this site does so anyway.
    const isLink = parent?.type === 'link' || parent?.type === 'linkReference';
    const isLinkToItself = isLink && parent.children.length === 1 && addressOf(parent) === address;
    const position = (isLinkToItself ? parent : picture).position;
    const [from, to] = [position?.start.offset, position?.end.offset];
    if (address === null || from === undefined || to === undefined) return;
    pictures.push({ address, alt: picture.alt ?? '', from, to });
  });
  return pictures;
}

/** Returns null for what is not a web address. `//host/path` stands for https. */
function normalize(address: string): string | null {
  const url = URL.parse(address.startsWith('//') ? `https:${address}` : address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.hash = '';
  return url.href;
}
