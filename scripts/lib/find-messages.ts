import { parse } from '@babel/parser';
import type { Node } from '@babel/types';

/** A user-visible text in a source file. Lines start at 1. */
export type SourceText = { line: number; text: string };

/** Attributes that are never visible to users. */
const unreadAttributes =
  /^(class(Name|Names)?|type|to|href|variant|size|id|autoComplete|autoCapitalize|inputMode|enterKeyHint|role|rel|target|key|form|kind|from|fill|stroke|d|viewBox|style|color|justify|dir|lang|position|wrap|name|singular|shortcut|mask|transform|points|textAnchor|data-.*|aria-(hidden|live|haspopup|current|controls|labelledby|describedby|autocomplete|orientation|busy|modal|relevant|keyshortcuts))$/;
/** Attributes that are always visible to users. */
const readAttributes =
  /^(label|title|placeholder|alt|description|text|heading|submit|children|message|aria-(label|valuetext|description|placeholder|roledescription))$/;
/** Functions whose arguments are not visible to users. */
const silentFunctions =
  /^(translateError|logFailure|logFailureAndToastRefusal|matchMedia|querySelector|querySelectorAll|replace|replaceAll|closest|matches|lazyRouteComponent)$/;
const macros = /^(t|msg|plural|select|selectOrdinal|defineMessage)$/;
/** Product names are the same in every language. */
const productNames =
  /^(Parley|Edge?|Opera|Samsung Internet|Firefox|Chrome|Safari|Android|Cr(ome)?OS|ChromeOS|Windows|Macintosh|Linux)$/;
const keys =
  /^((Shift\+|Mod\+)?.|Enter|Escape|Tab|Arrow\w+|Backspace|Control|Meta|Shift|Alt|Page(Up|Down)|GET|POST|PUT|PATCH|UTC|NFC)$/u;

/**
 * Finds texts that look user-visible but do not use the macros that add them to the catalogues. A heuristic: text in
 * elements, in visible or announced attributes, and strings that begin like a sentence or have several words.
 */
export function findUntranslatedTexts(code: string): SourceText[] {
  const texts: SourceText[] = [];
  visit(parseSource(code), [], (node, parents) => {
    if (node.type === 'JSXText') {
      if (/\p{L}/u.test(node.value) && !productNames.test(node.value.trim()))
        texts.push({ line: lineOf(node), text: node.value.trim() });
      return;
    }
    const text = wordsOf(node);
    if (text !== null && isSpoken(text, parents)) texts.push({ line: lineOf(node), text });
  });
  return texts;
}

/** Finds macros that are evaluated when the file is loaded, in a language that may change later. */
export function findEagerMessages(code: string): SourceText[] {
  const texts: SourceText[] = [];
  walk(parseSource(code), [], (node, parents) => {
    const name = macroOf(node);
    const early = name !== null && !/^(msg|defineMessage)$/.test(name) && !parents.some(isFunction);
    if (early) texts.push({ line: lineOf(node), text: code.slice(node.start ?? 0, node.end ?? 0) });
    return true;
  });
  return texts;
}

/** Finds macros in the text of a `Trans`: their source would be a placeholder of the message in the catalogues. */
export function findMessagesInTrans(code: string): SourceText[] {
  const texts: SourceText[] = [];
  walk(parseSource(code), [], (node, parents) => {
    // The text of an attribute is a message of its own.
    const inside = parents.slice(parents.findLastIndex(({ type }) => type === 'JSXAttribute') + 1);
    if (macroOf(node) !== null && inside.some(isTrans))
      texts.push({ line: lineOf(node), text: code.slice(node.start ?? 0, node.end ?? 0) });
    return true;
  });
  return texts;
}

const isTrans = (node: Node) =>
  node.type === 'JSXElement' &&
  node.openingElement.name.type === 'JSXIdentifier' &&
  node.openingElement.name.name === 'Trans';

function parseSource(code: string): Node {
  return parse(code, { sourceType: 'module', plugins: ['typescript', 'jsx'] }).program;
}

/** Calls `each` for every text, except for those in the catalogues and those that users do not see. */
function visit(
  program: Node,
  parents: readonly Node[],
  each: (node: Node, parents: readonly Node[]) => void,
) {
  walk(program, parents, (node, above) => {
    if (/^(JSXText|StringLiteral|TemplateLiteral)$/.test(node.type)) {
      each(node, above);
      return node.type === 'TemplateLiteral';
    }
    return !isUnread(node, above);
  });
}

function isUnread(node: Node, parents: readonly Node[]): boolean {
  if (macroOf(node) !== null || /^(ImportDeclaration|ExportAllDeclaration|ImportExpression)$/.test(node.type))
    return true;
  if (node.type === 'NewExpression')
    return node.callee.type === 'Identifier' && /(Error|RegExp|Unreachable)$/.test(node.callee.name);
  if (node.type === 'CallExpression') return isSilentCall(node);
  if (isTrans(node)) return true;
  if (node.type === 'JSXAttribute') return unreadAttributes.test(attributeName(node));
  if (node.type === 'ClassProperty') return node.key.type === 'Identifier' && node.key.name === 'name';
  if (node.type === 'BinaryExpression') return /^([!=]==?|in)$/.test(node.operator);
  // Types contain no text, except for the expression in `x as T`.
  return /^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)/.test(node.type) && parents.length > 0;
}

function isSilentCall(node: Extract<Node, { type: 'CallExpression' }>): boolean {
  const { callee } = node;
  if (callee.type === 'Import' || callee.type === 'Super') return true;
  if (callee.type === 'Identifier') return silentFunctions.test(callee.name);
  if (callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  if (object.type === 'Identifier' && object.name === 'console') return true;
  return property.type === 'Identifier' && silentFunctions.test(property.name);
}

function isSpoken(text: string, parents: readonly Node[]): boolean {
  if (!/\p{L}/u.test(text) || productNames.test(text)) return false;
  const attribute = parents.findLast((parent) => parent.type === 'JSXAttribute');
  const direct = parents.slice(-2);
  if (attribute !== undefined && direct.includes(attribute) && readAttributes.test(attributeName(attribute)))
    return true;
  if (isContent(parents)) return true;
  if (/^[#./?&(]|^\{\}[/?#]|^https?:|^--|;/u.test(text) || keys.test(text)) return false;
  return /^['‘“]?\p{Lu}[\p{L}’']*([ .,:…!?]|$)|\p{L} \p{L}|^\{\} \p{L}/u.test(text);
}

/** Whether a string is the content of an element, possibly in a conditional expression. */
function isContent(parents: readonly Node[]): boolean {
  const at = parents.findLastIndex((parent) => parent.type === 'JSXExpressionContainer');
  if (at < 1 || !/^JSX(Element|Fragment)$/.test(parents[at - 1]?.type ?? '')) return false;
  return parents.slice(at + 1).every(({ type }) => /^(Conditional|Logical)Expression$/.test(type));
}

/** The words of a string, with {} for placeholders. */
function wordsOf(node: Node): string | null {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('{}');
  return null;
}

function macroOf(node: Node): string | null {
  const called =
    node.type === 'TaggedTemplateExpression' ? node.tag : node.type === 'CallExpression' ? node.callee : null;
  return called?.type === 'Identifier' && macros.test(called.name) ? called.name : null;
}

function attributeName(node: Extract<Node, { type: 'JSXAttribute' }>): string {
  return node.name.type === 'JSXIdentifier' ? node.name.name : node.name.name.name;
}

const isFunction = ({ type }: Node) => /Function|ObjectMethod|ClassMethod/.test(type);
const lineOf = (node: Node) => node.loc?.start.line ?? 0;

/** Walks a tree from the top. Descends into a node only if `each` returns true. */
function walk(
  node: Node,
  parents: readonly Node[],
  each: (node: Node, parents: readonly Node[]) => boolean,
): void {
  if (!each(node, parents)) return;
  const below = [...parents, node];
  for (const [name, value] of Object.entries(node)) {
    if (name === 'test' && node.type === 'SwitchCase') continue;
    // Property names are code.
    if (name === 'key' && node.type === 'ObjectProperty' && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, below, each);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'loc' in value && 'start' in value;
}
