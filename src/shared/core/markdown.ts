import createParser, { type MarkdownIt, type StateCore, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';

export type { Token };

/**
 * The Markdown of Parley: CommonMark with tables, strikethrough (`~~`), task lists, footnotes and links for addresses
 * without brackets. Raw HTML is text, and so is a link or a picture with another scheme than http, https or mailto.
 */
const parser = createParser({ linkify: true }).use(footnotes).use(taskLists);
parser.inline.ruler.disable('footnote_inline');
parser.validateLink = (address) => /^(?:https?:|mailto:|(?![a-z][a-z\d+.-]*:))/iu.test(address.trim());
// Readers see an address as it was typed.
parser.normalizeLinkText = (address) => address;
parser.linkify
  .add('ftp:', null)
  .add('//', null)
  .add('www.', {
    validate(text, from, { re }) {
      const host = re.get_relative_proto_validator();
      host.lastIndex = from;
      return host.exec(text)?.[0].length ?? 0;
    },
    normalize(match) {
      match.url = `http://${match.url}`;
    },
  });

/** Parses a text to a flat list of blocks, as markdown-it describes it. Tokens of type `inline` have children. */
export function parseMarkdown(text: string): Token[] {
  return parser.parse(text, {});
}

/** The text as HTML. */
export function renderMarkdown(text: string): string {
  return parser.render(text);
}

/** The description of a picture. */
export function getPictureText({ children }: Token): string {
  return parser.renderer.renderInlineAsText(children ?? [], parser.options, {});
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
