import type { Element, ElementContent, Properties, Root } from 'hast';
import { getCodeLanguage, getPictureText, parseMarkdown, type Token } from './markdown.ts';
import type { FootnoteMeta } from './markdown-footnotes.ts';

export type TreeOptions = {
  /** Whether each line break of a paragraph stays. */
  breaks: boolean;
  /** The start of the ids of footnotes. */
  idPrefix: string;
  /** The class that hides the heading of the footnotes from view. */
  hiddenClass: string;
};

type Parent = Root | Element;

/** Parses Markdown to the elements of HTML. Raw HTML becomes text. Null for a text that is shown as it was typed. */
export function parseToTree(text: string, options: TreeOptions): Root | null {
  const tokens = parseMarkdown(text);
  if (tokens === null) return null;
  const root: Root = { type: 'root', children: [] };
  const open: Parent[] = [root];
  for (const token of tokens) addToken(open, token, options);
  return root;
}

/** @param open the elements that are open, the innermost last */
function addToken(open: Parent[], token: Token, options: TreeOptions): void {
  const parent = open.at(-1);
  if (parent === undefined || (token.hidden && token.type !== 'inline')) return;
  const children = parent.children as ElementContent[];
  if (token.nesting === 1) {
    if (token.type === 'link_open' && isInLink(open)) {
      // HTML has no links in links.
      open.push(parent);
      return;
    }
    const element = openElement(token, options);
    children.push(element.outer);
    open.push(element.inner);
  } else if (token.nesting === -1) open.pop();
  else if (token.type === 'inline') for (const child of token.children ?? []) addToken(open, child, options);
  else if (token.type === 'footnote_ref')
    children.push(footnoteReference(token, { isInLink: isInLink(open), ...options }));
  else addLeaf(children, token, options);
}

const isInLink = (open: readonly Parent[]) =>
  open.some((parent) => parent.type === 'element' && parent.tagName === 'a');

function openElement(
  token: Token,
  { idPrefix, hiddenClass }: TreeOptions,
): { outer: Element; inner: Element } {
  if (token.type === 'footnote_open') return same(element('li', { id: `${idPrefix}fn-${noteOf(token)}` }));
  if (token.type !== 'footnotes_open')
    return same(element(token.tag === 's' ? 'del' : token.tag, propertiesOf(token)));
  const label = { className: [hiddenClass], id: `${idPrefix}footnotes` };
  const inner = element('ol');
  const heading = element('h2', label, [{ type: 'text', value: 'Footnotes' }]);
  return {
    outer: element('section', { dataFootnotes: true, className: ['footnotes'] }, [heading, inner]),
    inner,
  };
}

const same = (inner: Element) => ({ outer: inner, inner });

function addLeaf(children: ElementContent[], token: Token, { breaks, idPrefix }: TreeOptions): void {
  const { type, content } = token;
  if (type === 'hardbreak' || (breaks && type === 'softbreak')) children.push(element('br'));
  else if (type === 'softbreak') addText(children, '\n');
  else if (type === 'code_inline') children.push(element('code', {}, [{ type: 'text', value: content }]));
  else if (type === 'fence' || type === 'code_block') children.push(codeBlock(token));
  else if (type === 'image')
    children.push(element('img', { ...propertiesOf(token), alt: getPictureText(token) }));
  else if (type === 'task')
    children.push(
      element('input', { type: 'checkbox', checked: token.attrGet('checked') === '', disabled: true }),
    );
  else if (type === 'footnote_anchor') addFootnoteAnchor(children, token, idPrefix);
  else if (token.tag !== '') children.push(element(token.tag, propertiesOf(token)));
  else addText(children, content);
}

function codeBlock(token: Token): Element {
  const { content } = token;
  const language = getCodeLanguage(token);
  const properties = language === undefined ? {} : { className: [`language-${language}`] };
  return element('pre', {}, [element('code', properties, [{ type: 'text', value: content }])]);
}

/** The number of a footnote, and of one of its references: 1, 1-2, 1-3. */
function noteOf({ meta }: Token, isReference = false): string {
  const { number, reference } = meta as FootnoteMeta;
  return isReference && reference > 1 ? `${number}-${reference}` : String(number);
}

/** HTML has no links in links, where a reference is only its number. */
function footnoteReference(
  token: Token,
  { isInLink, idPrefix }: { isInLink: boolean; idPrefix: string },
): Element {
  const id = `${idPrefix}fnref-${noteOf(token, true)}`;
  const number = [{ type: 'text' as const, value: noteOf(token) }];
  if (isInLink) return element('sup', { id }, number);
  const properties = {
    href: `#${idPrefix}fn-${noteOf(token)}`,
    id,
    dataFootnoteRef: true,
    ariaDescribedBy: [`${idPrefix}footnotes`],
  };
  return element('sup', {}, [element('a', properties, number)]);
}

function addFootnoteAnchor(children: ElementContent[], token: Token, idPrefix: string): void {
  addText(children, ' ');
  const properties = {
    href: `#${idPrefix}fnref-${noteOf(token, true)}`,
    dataFootnoteBackref: '',
    ariaLabel: `Back to reference ${noteOf(token, true)}`,
    className: ['data-footnote-backref'],
  };
  children.push(element('a', properties, [{ type: 'text', value: '↩' }]));
}

function propertiesOf({ attrs }: Token): Properties {
  const properties: Properties = {};
  for (const [name, value] of attrs ?? []) {
    if (name === 'class') properties['className'] = [String(value)];
    else if (name === 'start') properties['start'] = Number(value);
    else if (name === 'style') properties['align'] = String(value).replace('text-align:', '');
    else properties[name] = value;
  }
  return properties;
}

const element = (tagName: string, properties: Properties = {}, children: ElementContent[] = []): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
});

function addText(children: ElementContent[], value: string): void {
  const last = children.at(-1);
  if (last?.type === 'text') last.value += value;
  else if (value !== '') children.push({ type: 'text', value });
}
