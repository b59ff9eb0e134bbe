import EmailReplyParser from 'email-reply-parser';
import PostalMime, { addressParser, type Attachment, type Email } from 'postal-mime';
import { type HeaderAddresses, removeQuotedElements, splitAtMarkerLine } from './email-replies-quotes.ts';

/** A file that came with an email. */
export type EmailPicture = {
  bytes: Uint8Array;
  /** A description from the file name, for readers who do not see the picture. */
  description: string;
};

/** An email that a person wrote. */
export type ReplyMessage = {
  /** The addresses to which it was delivered, by its headers. */
  recipients: string[];
  /** The address of the sender in lower case; empty if there is none or more than one. */
  from: string;
  /** Identifies the email. Empty if it has no Message-ID. */
  messageId: string;
  /** What the person wrote, without the quoted email and the signature. Pictures are marked by `pictureMark`. */
  text: string;
  pictures: EmailPicture[];
};

/** Texts are cut here before quotes are looked for, in characters. The longest answer is shorter. */
const maxTextLength = 100_000;

/** The most pictures of one email; further ones are left out. */
const maxPictures = 5;

/** Stands in the text where picture `index` belongs. */
export const pictureMark = (index: number) => `\u0000picture ${index}\u0000`;

/**
 * Reads an email. Null for what no person wrote: automatic replies, reports of mail servers, and messages of mailing
 * lists (RFC 3834, RFC 2919), so that two programs never answer each other.
 * @param sender EMAIL_FROM, an address with a name or without
 */
export async function parseReplyMessage(raw: Uint8Array, sender: string): Promise<ReplyMessage | null> {
  const message = await PostalMime.parse(raw).catch(() => null);
  if (message === null || isAutomatic(message)) return null;
  const delivered = ['x-original-to', 'delivered-to', 'envelope-to', 'to', 'cc'].flatMap((name) =>
    readHeaders(message, name),
  );
  const recipients = delivered.flatMap((value) => value.match(/[^\s<>,;:"]+@[^\s<>,;:"]+/gu) ?? []);
  const text = message.text ?? (await convertHtml(message.html ?? ''));
  const from = readSender(message);
  const visible = cutQuotes(text.replaceAll('\u0000', '').slice(0, maxTextLength), {
    sender: (addressParser(sender, { flatten: true })[0]?.address ?? sender).toLowerCase(),
    others: [from, ...recipients].filter((address) => address !== '').map((address) => address.toLowerCase()),
  });
  return {
    recipients: [...new Set(recipients)],
    from,
    messageId: message.messageId ?? '',
    ...placePictures(visible, message.attachments),
  };
}

const readHeaders = (message: Email, name: string) =>
  message.headers.filter(({ key }) => key === name).map(({ value }) => value);

/**
 * RFC 5322, section 3.6: there is one `From` header. With two, or two addresses in it, mail servers may check another
 * one (DMARC), and of a group none.
 */
function readSender(message: Email): string {
  const values = readHeaders(message, 'from');
  const senders = values.flatMap((value) => addressParser(value));
  // The parser takes the second of two addresses in brackets for a name.
  const unquoted = values.join(' ').replaceAll(/"(?:\\.|[^"\\])*"/gsu, '');
  const isOne = senders.length === 1 && !/<.*</su.test(unquoted);
  return isOne ? (senders[0]?.address?.toLowerCase() ?? '') : '';
}

function isAutomatic(message: Email): boolean {
  const has = (name: string, pattern = /./u) =>
    readHeaders(message, name).some((value) => pattern.test(value));
  return (
    has('auto-submitted', /^(?!\s*no\s*(?:;|$))/iu) ||
    has('precedence', /bulk|list|junk|auto/iu) ||
    ['list-id', 'x-autoreply', 'x-autorespond', 'x-auto-reply', 'x-loop'].some((name) => has(name)) ||
    has('return-path', /^\s*<\s*>\s*$/u) ||
    has('content-type', /^multipart\/report\b/iu) ||
    /^(?:mailer-daemon|postmaster|no-?reply)@/iu.test(message.from?.address ?? '')
  );
}

/** The Markdown of an email without a text part. Empty if its elements are nested by the thousand. */
async function convertHtml(html: string): Promise<string> {
  // Most emails have a text part.
  const [{ fromHtml }, { toMdast }, { gfmToMarkdown }, { toMarkdown }] = await Promise.all([
    import('hast-util-from-html'),
    import('hast-util-to-mdast'),
    import('mdast-util-gfm'),
    import('mdast-util-to-markdown'),
  ]);
  try {
    const tree = fromHtml(html, { fragment: true });
    removeQuotedElements(tree);
    const markdown = toMdast(tree, { handlers: { comment: () => undefined } });
    return toMarkdown(markdown, { bullet: '-', extensions: [gfmToMarkdown()] });
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/**
 * Removes the quoted email and signatures. The parser knows quotes without the marker line in the languages of common
 * email programs. What is only below the quoted email is the member's text if nothing is above it; otherwise a mail
 * server may have added it.
 */
function cutQuotes(text: string, addresses: HeaderAddresses): string {
  const { top, answers, isBetween } = splitAtMarkerLine(text, addresses);
  // Separately: the parser takes everything below a sign-off or a line such as 'Ann wrote:' for quoted.
  const readVisible = (part: string) => new EmailReplyParser().read(part).getVisibleText().trim();
  // At the beginning, it takes such a line for text.
  const visible = readVisible(`.\n\n${top}`).slice(1).trim();
  if (visible !== '' && !isBetween) return visible;
  return `${visible}\n\n${readVisible(answers)}`.trim();
}

/**
 * Puts marks where the pictures belong: at the place that the email program names in the text, otherwise at the end.
 * Pictures of the HTML part that the text does not name belong to the signature or the quoted email.
 */
function placePictures(
  visible: string,
  attachments: readonly Attachment[],
): { text: string; pictures: EmailPicture[] } {
  let text = visible;
  const pictures: EmailPicture[] = [];
  for (const attachment of attachments) {
    const { filename, mimeType, related, contentId, content } = attachment;
    if (!mimeType.startsWith('image/') || pictures.length === maxPictures) continue;
    const names = [filename, contentId?.replace(/^<|>$/gu, '')].filter((name) => name !== undefined);
    const place = names
      .flatMap((name) => [`[image: ${name}]`, `[cid:${name}]`])
      .find((mark) => text.includes(mark));
    if (place === undefined && related === true) continue;
    const mark = pictureMark(pictures.length);
    text = place === undefined ? `${text}\n\n${mark}` : text.replace(place, () => mark);
    pictures.push({ bytes: toBytes(content), description: describe(filename ?? '') });
  }
  return { text: text.trim(), pictures };
}

const toBytes = (content: Attachment['content']): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

/** The file name without its ending, as text of a Markdown link. */
const describe = (filename: string): string =>
  filename
    .replace(/\.\w{1,5}$/u, '')
    .replaceAll(/[^\p{L}\p{N}.,-]+/gu, ' ')
    .trim()
    .slice(0, 80);
