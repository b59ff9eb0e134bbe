import type { Root, RootContent } from 'hast';

/**
 * The first line of an email that can be replied to. Replies are cut here, whatever the language of the email program
 * and its way to quote. The signs around the text are the same in all languages and survive a line break in the text.
 */
export const createMarkerLine = (text: string) => `##- ${text} -##`;
const markerLine = /##-[^#]{1,200}-##/u;

/** Addresses that tell the lines before a quoted email from text of the member, in lower case. */
export type HeaderAddresses = {
  /** From where this site sends emails. */
  sender: string;
  /** The address of the member, and those to which the reply was sent. */
  others: readonly string[];
};

/** The parts of a reply that a person may have written. */
export type ReplyParts = {
  /** Before the marker line of the quoted email, without the lines that the email program put there. */
  top: string;
  /** Below and between the quoted lines (`>`). */
  answers: string;
  /** Whether quoted lines follow one of the answers. */
  isBetween: boolean;
};

/** Splits a reply at the marker line. Without one, all of it is at the top. */
export function splitAtMarkerLine(text: string, addresses: HeaderAddresses): ReplyParts {
  const marker = markerLine.exec(text);
  if (marker === null) return { top: text, answers: '', isBetween: false };
  const before = text.slice(0, marker.index).split('\n');
  const prefix = before.at(-1) ?? '';
  if (/^[>|\s\\*]*$/u.test(prefix)) before.pop();
  const top = removeQuoteHeader(before, addresses).join('\n').trimEnd();
  if (!/^\s*>/u.test(prefix)) return { top, answers: '', isBetween: false };
  const after = text
    .slice(marker.index + marker[0].length)
    .split('\n')
    .slice(1);
  const isQuoted = (line: string | undefined) => line !== undefined && /^\s*>/u.test(line);
  // A link between two quoted lines is the end of the first, which the email program broke.
  const written = after.map((line, index) =>
    isQuoted(line) || (/^https?:/u.test(line) && isQuoted(after[index - 1]) && isQuoted(after[index + 1]))
      ? ''
      : line,
  );
  return {
    top,
    answers: written
      .map((line) => line.trimEnd())
      .join('\n')
      .replaceAll(/\n{3,}/gu, '\n\n')
      .trim(),
    isBetween: written.slice(0, after.findLastIndex(isQuoted)).some((line) => line.trim() !== ''),
  };
}

/** 'From:', bold in Markdown or not, in any script. */
const headerField = /^[>|\s*_]*[\p{L}\p{M}][\p{L}\p{M} .'’-]{0,30}[*_]*\s?[:：]/u;

/**
 * Removes what is at the end: the header fields (Outlook) or a sentence such as 'On Thursday, Parley <…> wrote:'
 * (Gmail), and a line such as '----- Original message -----' before it. Without one of the addresses, they could be text
 * of the member and remain.
 */
function removeQuoteHeader(lines: readonly string[], addresses: HeaderAddresses): string[] {
  const remaining = [...lines];
  const removeEmpty = () => {
    while (/^[>|\s\\*_=-]*$/u.test(remaining.at(-1) ?? 'end')) remaining.pop();
  };
  removeEmpty();
  const start = remaining.findLastIndex((line) => line.trim() === '') + 1;
  remaining.splice(start, Infinity, ...withoutHeader(remaining.slice(start), addresses));
  removeEmpty();
  const last = (remaining.at(-1) ?? '').trim();
  if (/^[-_=]{3}/u.test(last) && /[-_=]{3}$/u.test(last)) remaining.pop();
  return remaining;
}

/** The lines of a paragraph before the quote header in it. */
function withoutHeader(lines: readonly string[], { sender, others }: HeaderAddresses): readonly string[] {
  const plain = lines.map((line) => line.replaceAll(/[\\\p{Cf}]/gu, '').toLowerCase());
  const fromLine = plain.findIndex((line) => line.includes(sender));
  const line =
    fromLine === -1 ? plain.findIndex((each) => others.some((other) => each.includes(other))) : fromLine;
  if (line === -1) return lines;
  const isField = (each: string | undefined) => each !== undefined && headerField.test(each);
  if (lines.slice(line).filter(isField).length + (isField(lines[line - 1]) ? 1 : 0) > 1) {
    if (line === fromLine) return lines.slice(0, line);
    // 'To:' comes after 'From:' and 'Sent:'.
    const fieldsBefore = [1, 2].findIndex((distance) => !isField(lines[line - distance]));
    return lines.slice(0, line - (fieldsBefore === -1 ? 2 : fieldsBefore));
  }
  if (!/[:：][\s\p{Cf}*_]*$/u.test(lines.at(-1) ?? '') || line < lines.length - 2) return lines;
  // The program broke the line between the name and the address.
  return lines.slice(0, /^[>|\s]*</u.test(plain[line] ?? '') ? Math.max(0, line - 1) : line);
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
  /** REPLY_ADDRESS and BOUNCE_ADDRESS. An address with its signature can be used by everyone who has it. */
  signedAddresses: readonly string[];
};

/**
 * Whether a text contains the address of its author, a signed address of this site, or a link that unsubscribes
 * someone, also in the spellings of Markdown and of links, and if a line ends within it.
 */
export function hasPrivatePart(text: string, { email, signedAddresses }: PrivateParts): boolean {
  const patterns = [
    // 'ann@example.org', but not 'joann@example.org' or 'ann@example.org.uk'. A line can end within it.
    new RegExp(
      `(?<![\\w.+-])${Array.from(email.toLowerCase(), escapePattern).join(String.raw`(?:\n[>\s]*)?`)}(?![\\w-]|\\.\\w)`,
      'u',
    ),
    /unsubscribe.{1,3}\d+\.[a-z]+\./u,
    ...signedAddresses.map((address) => {
      const [local = '', host = ''] = address.toLowerCase().split('@');
      return new RegExp(`${escapePattern(local)}\\+[\\w.-]+@${escapePattern(host)}`, 'u');
    }),
  ];
  // An address in a link in a link is encoded twice.
  const plain = decodeCharacters(decodeCharacters(text))
    .replaceAll(/[\\\p{Cf}]/gu, '')
    .toLowerCase();
  const inOneLine = plain.replaceAll(/\n[>\s]*/gu, '');
  return patterns.some((pattern) => pattern.test(plain) || pattern.test(inOneLine));
}

/** '&#64;', '&#x40;', '&commat;' and '%40' are '@'. */
const decodeCharacters = (text: string): string =>
  text
    .replaceAll('&commat;', '@')
    .replaceAll(/&#(\d{2,3});/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/(?:%|&#x)([2-7][\da-f]);?/giu, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
