import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';

/** The maximum number of footnotes of a text. Further definitions are text. */
const maxFootnotes = 200;

type Footnote = { tokens: Token[]; number: number | null; references: number };

/** By label, as `normalizeReference` writes it. */
type Footnotes = Map<string, Footnote>;

/** The `meta` of tokens of footnotes: the number of the footnote, and which of its references it is, from 1. */
export type FootnoteMeta = { number: number; reference: number };

/**
 * Footnotes as on GitHub: `[^label]` in a text, and `[^label]: …`, whose further lines are indented. A label
 * without a definition is text, and so is a second definition. Adds the tokens `footnote_ref` and, at the end, `footnotes_open`,
 * `footnote_open`, `footnote_anchor` (back to a reference), `footnote_close` and `footnotes_close`. Not
 * markdown-it-footnote: it takes quadratic time, and loses text if a definition is inside another.
 */
export function footnotes(parser: MarkdownIt): void {
  const { normalizeReference } = parser.utils;
  const getFootnotes = ({ env }: StateBlock | StateInline | StateCore): Footnotes =>
    ((env as { footnotes?: Footnotes }).footnotes ??= new Map());

  parser.block.ruler.before('reference', 'footnote', readDefinition, { alt: ['paragraph', 'reference'] });
  parser.inline.ruler.after('image', 'footnote', readReference);
  parser.core.ruler.after('inline', 'footnotes', moveToEnd);
  const { rules } = parser.renderer;
  const numberOf = (tokens: Token[], at: number) => (tokens[at]?.meta as FootnoteMeta | undefined)?.number;
  rules['footnote_ref'] = (tokens: Token[], at: number) =>
    `<sup><a href="#footnote-${numberOf(tokens, at)}">${numberOf(tokens, at)}</a></sup>`;
  rules['footnotes_open'] = () => '<section>\n<ol>\n';
  rules['footnote_open'] = (tokens: Token[], at: number) => `<li id="footnote-${numberOf(tokens, at)}">`;
  rules['footnote_anchor'] = () => '';
  rules['footnote_close'] = () => '</li>\n';
  rules['footnotes_close'] = () => '</ol>\n</section>\n';

  function readDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
    const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
    const line = state.src.slice(start, state.eMarks[startLine]);
    const [mark, typed] = /^\[\^([^\s\]]+)\]:[ \t]*/u.exec(line) ?? [];
    if (mark === undefined || typed === undefined) return false;
    const known = getFootnotes(state);
    const label = normalizeReference(typed);
    if (known.has(label) || known.size === maxFootnotes) return false;
    if (silent) return true;
    known.set(label, { tokens: [], number: null, references: 0 });

    // The text after the mark is the first line of the blocks inside, whose further lines are indented by four.
    const [begin, shift, indent] = [
      state.bMarks[startLine],
      state.tShift[startLine],
      state.sCount[startLine],
    ];
    state.push('footnote_definition_open', '', 1).meta = { label };
    state.bMarks[startLine] = start + mark.length;
    state.tShift[startLine] = 0;
    state.blkIndent += 4;
    state.sCount[startLine] = state.blkIndent;
    state.md.block.tokenize(state, startLine, endLine);
    state.blkIndent -= 4;
    [state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine]] = [
      begin ?? 0,
      shift ?? 0,
      indent ?? 0,
    ];
    state.push('footnote_definition_close', '', -1);
    return true;
  }

  function readReference(state: StateInline, silent: boolean): boolean {
    if (!state.src.startsWith('[^', state.pos)) return false;
    const pattern = /\[\^([^\s\]]+)\]/uy;
    pattern.lastIndex = state.pos;
    const [found, typed] = pattern.exec(state.src.slice(0, state.posMax)) ?? [];
    const footnote = typed === undefined ? undefined : getFootnotes(state).get(normalizeReference(typed));
    if (found === undefined || footnote === undefined) return false;
    state.pos += found.length;
    if (silent) return true;
    const { numbers } = state.env as { numbers?: number };
    if (footnote.number === null) {
      footnote.number = (numbers ?? 0) + 1;
      (state.env as { numbers?: number }).numbers = footnote.number;
    }
    footnote.references++;
    const meta: FootnoteMeta = { number: footnote.number, reference: footnote.references };
    state.push('footnote_ref', '', 0).meta = meta;
    return true;
  }

  function moveToEnd(state: StateCore): void {
    const known = getFootnotes(state);
    if (known.size === 0) return;
    const text: Token[] = [];
    // Definitions can be in definitions.
    const targets = [text];
    for (const token of state.tokens) {
      const { type, meta } = token;
      if (type === 'footnote_definition_open')
        targets.push(known.get((meta as { label: string }).label)?.tokens ?? []);
      else if (type === 'footnote_definition_close') targets.pop();
      else targets.at(-1)?.push(token);
    }
    const used = [...known.values()]
      .filter(({ number }) => number !== null)
      .toSorted((a, b) => Number(a.number) - Number(b.number));
    const token = (type: string, nesting: -1 | 0 | 1, meta: FootnoteMeta | null = null) =>
      Object.assign(new state.Token(type, '', nesting), { meta });
    if (used.length > 0) text.push(token('footnotes_open', 1));
    for (const { tokens, number, references } of used) {
      const at = { number: Number(number), reference: 1 };
      const end = tokens.at(-1)?.type === 'paragraph_close' ? tokens.splice(-1) : [];
      const anchors = Array.from({ length: references }, (_, index) =>
        token('footnote_anchor', 0, { ...at, reference: index + 1 }),
      );
      const parts = [[token('footnote_open', 1, at)], tokens, anchors, end, [token('footnote_close', -1)]];
      for (const each of parts.flat()) text.push(each);
    }
    if (used.length > 0) text.push(token('footnotes_close', -1));
    state.tokens = text;
  }
}
