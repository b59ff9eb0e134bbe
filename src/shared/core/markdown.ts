import createParser, { type MarkdownIt, type StateCore, type Token } from 'markdown-it';
import { isCheapToParse, maxLevel } from './markdown-cost.ts';
import { footnotes } from './markdown-footnotes.ts';

export type { Token };

/**
 * The Markdown of Parley: CommonMark with tables, strikethrough (`~~`), task lists, footnotes and links for addresses
 * without brackets. Raw HTML is text, and so is a link or a picture with another scheme than http, https or mailto.
 */
const parser = createParser({ linkify: true }).use(footnotes).use(taskLists);
parser.validateLink = (address) => /^(?:https?:|mailto:|(?![a-z][a-z\d+.-]*:))/iu.test(address.trim());
// Readers see an address as it was typed.
parser.normalizeLinkText = (address) => address;
parser.linkify
  .add('ftp:', null)
  .add('//', null)
  .add('http:', { validate: (text, from, { re }) => measureAddress(re.get_http_validator(), text, from) })
  .add('https:', { validate: (text, from, { re }) => measureAddress(re.get_http_validator(), text, from) })
  .add('www.', {
    validate: (text, from, { re }) => measureAddress(re.get_relative_proto_validator(), text, from),
    normalize(match) {
      match.url = `http://${match.url}`;
    },
  });

/**
 * The length of the address that a pattern finds, without marks at its end and punctuation before them:
 * `**See https://example.com.**` is bold.
 */
function measureAddress(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  const found = from + (pattern.exec(text)?.[0].length ?? 0);
  const cut = (end: number, marks: string) => {
    while (end > from && marks.includes(text.charAt(end - 1))) end--;
    return end;
  };
  const end = cut(found, '*_~');
  return (end === found ? end : cut(end, '*_~.,:;!?')) - from;
}

/** A page of such a text would be slow. The largest of 45,782 texts of Stack Exchange has 618. */
const maxTokens = 20_000;

/**
 * Parses a text to a flat list of blocks, as markdown-it describes it. Tokens of type `inline` have children. Null for a
 * text that is shown as it was typed, because it would take long or make too many elements.
 */
export function parseMarkdown(text: string): Token[] | null {
  if (!isCheapToParse(text)) return null;
  const tokens = parser.parse(text, {});
  let count = 0;
  for (const { level, children } of tokens) {
    count += 1 + (children?.length ?? 0);
    if (count > maxTokens || level > maxLevel) return null;
    if (children?.some((child) => child.level > maxLevel) === true) return null;
  }
  return tokens;
}

/** The text as HTML; null if `parseMarkdown` returns null. */
export function renderMarkdown(text: string): string | null {
  const tokens = parseMarkdown(text);
  return tokens === null ? null : parser.renderer.render(tokens, parser.options, {});
}

/** The description of a picture. */
export function getPictureText({ children }: Token): string {
  return parser.renderer.renderInlineAsText(children ?? [], parser.options, {});
}

/** The language of a block of code; undefined if it has none. */
export function getCodeLanguage({ info }: Token): string | undefined {
  return /^\S+/u.exec(parser.utils.unescapeAll(info).trim())?.[0];
}

/** Turns `[ ]` and `[x]` at the start of a list item into a `task` token, with the attribute `checked`. */
function taskLists(target: MarkdownIt): void {
  target.core.ruler.after('inline', 'tasks', ({ tokens, Token }: StateCore) => {
    const lists: Token[] = [];
    for (const [at, token] of tokens.entries()) {
      if (/^(?:bullet|ordered)_list_open$/u.test(token.type)) lists.push(token);
      if (/^(?:bullet|ordered)_list_close$/u.test(token.type)) lists.pop();
      if (token.type !== 'list_item_open' || tokens[at + 1]?.type !== 'paragraph_open') continue;
      const children = tokens[at + 2]?.children ?? [];
      const [text, next] = children;
      const [mark, checked] = (text?.type === 'text' && /^\[([ xX])\](?=\s|$)/u.exec(text.content)) || [];
      if (text === undefined || mark === undefined) continue;
      if (text.content === mark && next?.type !== 'softbreak') continue;
      const task = new Token('task', 'input', 0);
      if (checked !== ' ') task.attrSet('checked', '');
      text.content = text.content.slice(mark.length);
      children.unshift(task);
      token.attrJoin('class', 'task-list-item');
      const list = lists.at(-1);
      if (list?.attrGet('class') === null) list.attrSet('class', 'contains-task-list');
    }
  });
  target.renderer.rules['task'] = (tokens: Token[], at: number) =>
    `<input type="checkbox" disabled${tokens[at]?.attrGet('checked') === '' ? ' checked' : ''}>`;
}
