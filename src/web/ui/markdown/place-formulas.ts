import type { ExtraProps } from 'hast-util-to-jsx-runtime';
import { type FormulaSource, restoreFormulas, splitAtPlaceholders } from './find-formulas.ts';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
type Parent = { children: (Child | { type: 'doctype' })[] };

/**
 * Replaces placeholders with `math` elements (`getPlacedFormula`). In code, raw HTML and attributes, it restores what
 * was typed. A paragraph is split around a block formula, because it cannot contain blocks. A block formula in other
 * elements, such as a heading, is set in the line.
 */
export function placeFormulas(formulas: readonly FormulaSource[]) {
  return (tree: Parent) => {
    walk(tree, { tagName: 'root', isCode: false, formulas });
  };
}

/** The formula of an element; null for elements that `placeFormulas` did not make. */
export function getPlacedFormula({ properties }: Element): FormulaSource | null {
  const { dataSource, dataTex, dataBlock } = properties;
  if (typeof dataSource !== 'string' || typeof dataTex !== 'string') return null;
  return { source: dataSource, tex: dataTex, isBlock: dataBlock === true };
}

type Place = { tagName: string; isCode: boolean; formulas: readonly FormulaSource[] };

function walk(parent: Parent, place: Place): void {
  const { isCode, formulas } = place;
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'text' && !isCode) return placeInText(child.value, place);
    if ('value' in child) child.value = restoreFormulas(child.value, formulas);
    if (child.type !== 'element') return [child];
    const { tagName, properties } = child;
    for (const [name, value] of Object.entries(properties))
      if (typeof value === 'string') properties[name] = restoreFormulas(value, formulas);
    walk(child, { tagName, isCode: isCode || tagName === 'code' || tagName === 'pre', formulas });
    return tagName === 'p' ? splitAroundBlocks(child) : [child];
  });
}

/** Elements that may contain blocks, and paragraphs, which are split. */
const blockParents = new Set(['p', 'li', 'td', 'th', 'blockquote', 'root']);

function placeInText(text: string, { tagName, formulas }: Place): Child[] {
  return splitAtPlaceholders(text).flatMap((part): Child[] => {
    if (typeof part === 'string') return part === '' ? [] : [{ type: 'text', value: part }];
    const formula = formulas[part];
    if (formula === undefined) return [];
    const { source, tex, isBlock } = formula;
    const properties = { dataSource: source, dataTex: tex, dataBlock: isBlock && blockParents.has(tagName) };
    return [{ type: 'element', tagName: 'math', properties, children: [] }];
  });
}

function splitAroundBlocks(paragraph: Element): Element[] {
  const parts: Element[] = [];
  let line: Child[] = [];
  for (const child of paragraph.children) {
    if (child.type !== 'element' || child.properties['dataBlock'] !== true) {
      line.push(child);
      continue;
    }
    parts.push({ ...paragraph, children: line }, child);
    line = [];
  }
  parts.push({ ...paragraph, children: line });
  return parts.length === 1 ? [paragraph] : parts.filter((part) => part.tagName === 'math' || trimLine(part));
}

/** Removes line breaks and spaces at both ends. Returns whether anything is left. */
function trimLine(paragraph: Element): boolean {
  const { children } = paragraph;
  const isSpace = (child: Child) =>
    child.type === 'text' ? child.value.trim() === '' : child.type === 'element' && child.tagName === 'br';
  const from = children.findIndex((child) => !isSpace(child));
  const to = children.findLastIndex((child) => !isSpace(child));
  paragraph.children = children.slice(Math.max(from, 0), to + 1);
  return to !== -1;
}
