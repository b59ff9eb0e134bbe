import { createElement, type ReactElement } from 'react';
import temml from 'temml';

// The public function returns markup.
const { __renderToMathMLTree: renderTree } = temml;

/** `error`: what the formula has that cannot be shown, in English. */
export type RenderedFormula = { math: ReactElement; error: null } | { math: null; error: string };

/** Elements of one formula, and levels of them. A formula of 2,000 characters that people write has fewer. */
const maxNodes = 10_000;
const maxDepth = 100;

/**
 * Renders a formula in the notation of LaTeX as MathML without inline styles. Only the elements, attributes and classes
 * in the lists below get into the page. Colors of authors are left out, because they may be unreadable in one of the
 * themes.
 * @param tex at most 2,000 UTF-16 code units (find-formulas.ts). Longer formulas could overflow the stack.
 */
export function renderFormula(tex: string, isBlock: boolean): RenderedFormula {
  try {
    const [definition] = definitions.exec(tex) ?? [];
    if (definition !== undefined) throw new Error(`Unsupported command: ${definition}`);
    const tree = renderTree(tex, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      maxExpand: 1000,
      // In em and points: spaces and rules must not cover the page.
      maxSize: [20, 200],
      wrap: tex.length > minWrappedLength ? 'tex' : 'none',
    }) as Node;
    return { math: toElement(tree, 0, { depth: 0, count: { nodes: 0 } }), error: null };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : '').trim().split('\n');
    return { math: null, error: line.replace(/:$/u, '') };
  }
}

/** In UTF-16 code units. A shorter formula in a line of text stays in one line. */
const minWrappedLength = 40;

/** Repeated expansion of a long definition would take seconds. */
const definitions =
  /\\(?:[egx]?def|let|futurelet|global|long|(?:re|provide)?(?:new)?command|DeclareMathOperator)(?![A-Za-z])/u;

/** What Temml makes: an element, a fragment without `type`, or a text. */
type Node = {
  type?: string;
  text?: string;
  attributes?: Record<string, string>;
  classes?: string[];
  style?: Record<string, string>;
  children?: Node[];
};

/** `count`: of the whole formula. */
type Progress = { depth: number; count: { nodes: number } };

function toElement(node: Node, key: number, { depth, count }: Progress): ReactElement {
  count.nodes++;
  if (count.nodes > maxNodes || depth > maxDepth) throw new Error('Too complex');
  const { type = '', classes = [], style = {}, children = [] } = node;
  const attributes = Object.entries(node.attributes ?? {});
  const classNames = [
    ...classes.filter((name) => temmlClasses.test(name)),
    ...Object.entries(style).map(([name, value]) => styleClasses[`${name}: ${normalizeStyle(value)}`]),
    // A rule has the color of the text, not black.
    attributes.some(([name]) => name === 'mathbackground') && type === 'mspace' && 'tml-rule',
  ].filter((name) => typeof name === 'string');
  const content = children
    .flatMap(unwrap)
    .map((child, index) =>
      child.text === undefined
        ? toElement(child, index, { depth: depth + 1, count })
        : child.text.replaceAll(/\p{Cc}/gu, ''),
    );
  return createElement(
    elements.test(type) ? type : 'mrow',
    {
      key,
      ...Object.fromEntries(attributes.filter(([name, value]) => isAllowed(name, value))),
      ...(classNames.length > 0 && { className: classNames.join(' ') }),
    },
    // One text, because React marks the borders between two with comments.
    ...(content.every((part) => typeof part === 'string') ? [content.join('')] : content),
  );
}

/** A fragment is not an element: the parts of a long formula are children of `math`, where it breaks. */
const unwrap = (node: Node): Node[] =>
  node.type === undefined && node.text === undefined ? (node.children ?? []).flatMap(unwrap) : [node];

const elements =
  /^(?:math|menclose|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none)$/u;

const attributeNames =
  /^(?:accent|accentunder|columnspan|depth|display|displaystyle|fence|form|height|largeop|linethickness|lspace|mathsize|mathvariant|maxsize|minsize|movablelimits|notation|rspace|scriptlevel|separator|stretchy|symmetric|width)$/u;

/** Lengths that could cover other texts are left out. */
function isAllowed(name: string, value: unknown): value is string | number {
  const number = Number.parseFloat(String(value));
  return (
    attributeNames.test(name) && /^[-\w. %]{1,40}$/u.test(String(value)) && !(number > 30 || number < -1)
  );
}

const temmlClasses =
  /^(?:tml-right|tml-left|tml-jot|tml-small|tml-vec|tml-cancel|tml-xcancel|upstrike|downstrike|sout|tml-overline|tml-underline|tml-fbox)$/u;

/** Classes for the styles that Temml sets most. Formulas can do without the others. formula.css defines them. */
const styleClasses: Record<string, string> = {
  'paddingLeft: 0': 'tml-start-0',
  'paddingRight: 0': 'tml-end-0',
  'paddingLeft: 1em': 'tml-start-1',
  'borderTop: solid': 'tml-line-top',
  'borderBottom: solid': 'tml-line-bottom',
  'borderLeft: solid': 'tml-line-left',
  'borderRight: solid': 'tml-line-right',
  'border: solid': 'tml-box',
  'width: 100%': 'tml-wide',
  'width: 50%': 'tml-half',
  'width: 7.5%': 'tml-margin',
  'padding: 0': 'tml-no-padding',
  'marginLeft: -0.1667em': 'tml-back',
  'mathDepth: 0': 'tml-depth-0',
  'math-depth: 0': 'tml-depth-0',
  'mathDepth: 2': 'tml-depth-2',
  'fontWeight: bold': 'tml-bold',
  'textAlign: left': 'tml-left',
};

/** A zero without unit, and a line without its width. */
function normalizeStyle(value: string | number): string {
  const text = String(value).trim();
  if (/^0[a-z]*$/u.test(text)) return '0';
  return / (?:solid|dashed|double)/u.test(text) ? 'solid' : text;
}
