import type { Root, RootContent } from 'hast';

/**
 * The first line of an email that can be replied to. Replies are cut here, whatever the language of the email program
 * and its way to quote. The signs around the text are the same in all languages and survive a line break in the text.
 */
export const createMarkerLine = (text: string) => `##- ${text} -##`;
const markerLine = /##-[^#]{1,200}-##/u;

/** What is before the marker line of the quoted email, without the lines that the email program put before it. */
export function cutAtMarkerLine(text: string): string {
  const marker = markerLine.exec(text);
  if (marker === null) return text;
  const lines = text.slice(0, marker.index).split('\n');
  if (/^[>|\s\\*]*$/u.test(lines.at(-1) ?? '')) lines.pop();
  return removeQuoteHeader(lines).join('\n').trimEnd();
}

/** 'From:', bold in Markdown or not, in any script. */
const headerField = /^[>|\s*_]*[\p{L}\p{M}][\p{L}\p{M} .'’-]{0,30}[*_]*\s?[:：]/u;

/**
 * Removes what is at the end: the header fields (Outlook) or a sentence such as 'On Thursday, Parley <…> wrote:'
 * (Gmail), and a line such as '----- Original message -----' before it.
 */
function removeQuoteHeader(lines: readonly string[]): string[] {
  const remaining = [...lines];
  const removeEmpty = () => {
    while (/^[>|\s\\*_=-]*$/u.test(remaining.at(-1) ?? 'end')) remaining.pop();
  };
  removeEmpty();
  const start = remaining.findLastIndex((line) => line.trim() === '') + 1;
  const last = remaining.slice(start);
  const isField = (line: string) => headerField.test(line);
  // An address, a year or a time tell it from a list or sentence of the member.
  if (/@|\d{4}|\d[:.]\d\d/u.test(last.join('\n'))) {
    if (last.filter(isField).length > 1) remaining.splice(start + last.findIndex(isField));
    else if (/[:：][\s\p{Cf}*_]*$/u.test(last.at(-1) ?? '')) remaining.splice(start);
  }
  removeEmpty();
  if (/^\s*[-_=]{3,}.*[-_=]{3,}\s*$/u.test(remaining.at(-1) ?? '')) remaining.pop();
  return remaining;
}

/** Elements in which email programs put the quoted email: Gmail, Thunderbird, Apple Mail, Yahoo, Proton and Zoho. */
const quoteClasses = new Set([
  'gmail_quote',
  'gmail_quote_container',
  'moz-cite-prefix',
  'yahoo_quoted',
  'protonmail_quote',
  'zmail_extra',
]);
/** Elements after which everything is the quoted email: Outlook on the web, for Mac and on phones. */
const quoteStarts = new Set([
  'appendonsend',
  'divRplyFwdMsg',
  'mail-editor-reference-message-container',
  'OLK_SRC_BODY_SECTION',
]);
/** The border above the header fields of Outlook for Windows. */
const outlookBorder = /border-top:\s*solid #(?:E1E1E1|B5C4DF) 1\.0pt/iu;

/** Removes the quoted email from the HTML of a reply. */
export function removeQuotedElements(tree: Root): void {
  let isAfterStart = false;
  const prune = (parent: { children: RootContent[] }) => {
    parent.children = parent.children.filter((node) => {
      if (isAfterStart || node.type !== 'element') return !isAfterStart;
      const { id, className, style, type } = node.properties;
      isAfterStart = quoteStarts.has(String(id)) || outlookBorder.test(String(style));
      if (isAfterStart || (node.tagName === 'blockquote' && type === 'cite')) return false;
      if (Array.isArray(className) && className.some((name) => quoteClasses.has(name))) return false;
      prune(node);
      return true;
    });
  };
  prune(tree);
}

/** What of the quoted email must not be published. */
export type PrivateParts = {
  /** The address of the member. */
  email: string;
  /** REPLY_ADDRESS and BOUNCE_ADDRESS. Whoever knows one with its signature can use it. */
  signedAddresses: readonly string[];
};

/**
 * Whether a text contains the address of its author, a signed address of this site, or a link that unsubscribes
 * someone, also in the spellings of Markdown and of links.
 */
export function hasPrivatePart(text: string, { email, signedAddresses }: PrivateParts): boolean {
  const plain = text
    .replaceAll(/[\\\p{Cf}]/gu, '')
    .replaceAll(/%([2-7][\da-f])/giu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .toLowerCase();
  return (
    // 'ann@example.org', but not 'joann@example.org' or 'ann@example.org.uk'.
    new RegExp(`(?<![\\w.+-])${escapePattern(email.toLowerCase())}(?![\\w-]|\\.\\w)`, 'u').test(plain) ||
    /unsubscribe.{1,3}\d+\.[a-z]+\./u.test(plain) ||
    signedAddresses.some((address) => {
      const [local = '', host = ''] = address.toLowerCase().split('@');
      return new RegExp(`${escapePattern(local)}\\+[\\w.-]+@${escapePattern(host)}`, 'u').test(plain);
    })
  );
}

const escapePattern = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
