import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { maxLevel } from './markdown-cost.ts';

/** The `meta` of tokens of footnotes: the number of the footnote, and which of its references it is, from 1. */
export type FootnoteMeta = { number: number; reference: number };

/** Without a number until a reference to it is found. */
type Footnote = { tokens: Token[]; number: number; references: number };

type Env = { footnotes?: Map<string, Footnote> };

/** The footnote of a definition, and of a reference that has no number yet. */
const footnoteOf = ({ meta }: Token) => meta?.['footnote'] as Footnote;

/**
 * Footnotes as on GitHub: `[^label]` in a text, and `[^label]: …`, whose further lines are indented. A label without a
 * definition is text. Of two definitions of a label, the first counts. Adds the tokens `footnote_ref` and, at the end,
 * `footnotes_open`, `footnote_open`, `footnote_anchor` (back to a reference), `footnote_close` and `footnotes_close`.
 * Not markdown-it-footnote: it takes quadratic time, and loses text if a definition is inside another.
 */
export function footnotes(parser: MarkdownIt): void {
  const { normalizeReference } = parser.utils;
  parser.block.ruler.before('reference', 'footnote', readDefinition, { alt: ['paragraph', 'reference'] });
  parser.inline.ruler.before('link', 'footnote', readReference);
  parser.core.ruler.after('inline', 'footnotes', moveToEnd);

  function readDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
    const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
    const line = state.src.slice(start, state.eMarks[startLine]);
    const [mark, typed] = /^\[\^([^\s\]]{1,100})\]:[ \t]*/u.exec(line) ?? [];
    if (mark === undefined || typed === undefined) return false;
    if (silent) return true;
    const known = ((state.env as Env).footnotes ??= new Map());
    const label = normalizeReference(typed);
    const footnote = { tokens: [], number: 0, references: 0 };
    if (!known.has(label)) known.set(label, footnote);

    // The text after the mark is the first line of the blocks inside, whose further lines are indented by four.
    const { bMarks, tShift, sCount } = state;
    const [begin = 0, shift = 0, indent = 0] = [bMarks[startLine], tShift[startLine], sCount[startLine]];
    state.push('footnote_definition_open', '', 1).meta = { footnote };
    bMarks[startLine] = start + mark.length;
    tShift[startLine] = 0;
    state.blkIndent += 4;
    sCount[startLine] = state.blkIndent;
    state.md.block.tokenize(state, startLine, endLine);
    state.blkIndent -= 4;
    [bMarks[startLine], tShift[startLine], sCount[startLine]] = [begin, shift, indent];
    state.push('footnote_definition_close', '', -1);
    return true;
  }

  function readReference(state: StateInline, silent: boolean): boolean {
    if (!state.src.startsWith('[^', state.pos)) return false;
    const pattern = /\[\^([^\s\]]{1,100})\]/uy;
    pattern.lastIndex = state.pos;
    const [found, typed] = pattern.exec(state.src.slice(0, state.posMax)) ?? [];
    if (found === undefined || typed === undefined) return false;
    const footnote = (state.env as Env).footnotes?.get(normalizeReference(typed));
    if (footnote === undefined) return false;
    // The text of a link, which is first looked over silently, may have one.
    if (silent) return false;
    state.pos += found.length;
    state.push('footnote_ref', '', 0).meta = { footnote };
    return true;
  }

  const { rules } = parser.renderer;
  const numberOf = (tokens: Token[], at: number) => (tokens[at]?.meta as FootnoteMeta | undefined)?.number;
  rules['footnote_ref'] = (tokens: Token[], at: number) =>
    `<sup><a href="#footnote-${numberOf(tokens, at)}">${numberOf(tokens, at)}</a></sup>`;
  rules['footnotes_open'] = () => '<section>\n<ol>\n';
  rules['footnote_open'] = (tokens: Token[], at: number) => `<li id="footnote-${numberOf(tokens, at)}">`;
  rules['footnote_anchor'] = () => '';
  rules['footnote_close'] = () => '</li>\n';
  rules['footnotes_close'] = () => '</ol>\n</section>\n';
}

/** Numbers the footnotes by their first references in the text, and moves those that have one to its end. */
function moveToEnd(state: StateCore): void {
  // `parseMarkdown` refuses such a text. It would not see the level if the tokens were dropped here.
  if ((state.env as Env).footnotes === undefined || state.tokens.some(({ level }) => level > maxLevel))
    return;
  const text: Token[] = [];
  // Definitions can be in definitions.
  const targets = [text];
  for (const token of state.tokens) {
    if (token.type === 'footnote_definition_open') targets.push(footnoteOf(token).tokens);
    else if (token.type === 'footnote_definition_close') targets.pop();
    else targets.at(-1)?.push(token);
  }

  const used: Footnote[] = [];
  numberReferences(text, used);
  // Grows meanwhile by those that others refer to.
  for (const { tokens } of used) numberReferences(tokens, used);

  state.tokens = text;
  if (used.length === 0) return;
  const add = (type: string, nesting: -1 | 0 | 1, meta: FootnoteMeta | null = null) =>
    text.push(Object.assign(new state.Token(type, '', nesting), { meta }));
  add('footnotes_open', 1);
  for (const { tokens, number, references } of used) {
    const end = tokens.at(-1)?.type === 'paragraph_close' ? tokens.pop() : undefined;
    add('footnote_open', 1, { number, reference: 1 });
    for (const token of tokens) text.push(token);
    for (let reference = 1; reference <= references; reference++)
      add('footnote_anchor', 0, { number, reference });
    if (end !== undefined) text.push(end);
    add('footnote_close', -1);
  }
  add('footnotes_close', -1);
}

/** @param used gets the footnotes that have no number yet */
function numberReferences(tokens: readonly Token[], used: Footnote[]): void {
  for (const { children } of tokens)
    for (const token of children ?? []) {
      if (token.type !== 'footnote_ref') continue;
      const footnote = footnoteOf(token);
      if (footnote.number === 0) footnote.number = used.push(footnote);
      token.meta = { number: footnote.number, reference: ++footnote.references };
    }
}
