/*
 * Reads the rows of INSERT statements of MySQL, MariaDB, SQLite and PostgreSQL. Texts are bytes as Latin-1 characters,
 * because dumps mix texts in UTF-8 with binary values. Each function returns null if the text ends before what it
 * reads.
 */

/** A value of a dump that is none of those that dump programs write. */
export class SqlValueError extends Error {}

export type SqlDialect = {
  /** A backslash in a string escapes the next character, as in MySQL. */
  hasEscapes: boolean;
};

/** Texts as bytes; null for NULL, and for columns that are not wanted. */
export type SqlRow = { values: (string | null)[]; end: number };

/** Functions in functions, as in SQLite's `replace(replace('…', …), …)`. */
const maxDepth = 16;

/**
 * Reads a row '(1, 'text', NULL)' that begins at `at`.
 * @param isWanted whether the value of a column is returned
 */
export function readRow(
  text: string,
  at: number,
  { hasEscapes, isWanted }: SqlDialect & { isWanted: (column: number) => boolean },
): SqlRow | null {
  if (text[at] !== '(') throw new SqlValueError('a row does not begin with "("');
  const values: (string | null)[] = [];
  let position = at + 1;
  for (;;) {
    const value = readValue(text, position, { hasEscapes, isWanted: isWanted(values.length), depth: 0 });
    if (value === null) return null;
    values.push(value.value);
    position = skipSpaces(text, value.end);
    if (position >= text.length) return null;
    if (text[position] === ')') return { values, end: position + 1 };
    if (text[position] !== ',')
      throw new SqlValueError(`value ${values.length} of the row is followed by "${text[position]}"`);
    position++;
  }
}

type Value = { value: string | null; end: number };
type ValueOptions = SqlDialect & { isWanted: boolean; depth: number };

function readValue(text: string, from: number, options: ValueOptions): Value | null {
  const at = skipSpaces(text, from);
  const first = text[at];
  if (first === undefined) return null;
  const value =
    first === "'" || first === '"' ? readString(text, at, options) : readUnquoted(text, at, options);
  if (value === null) return null;
  // PostgreSQL's casts: '{}'::text[]
  const cast = match(/::[\w ".]*(?:\(\d+(?:,\d+)?\))?(?:\[\])?/uy, text, value.end);
  return cast === '' ? value : { ...value, end: value.end + cast.length };
}

function readUnquoted(text: string, at: number, options: ValueOptions): Value | null {
  const word = match(/[-+]?[\w.]+(?:(?<=\d[eE])[-+]?\d+)?/uy, text, at);
  const end = at + word.length;
  if (end >= text.length) return null;
  if (word === '') throw new SqlValueError(`"${text[at]}" begins no value`);
  if (/^0x/iu.test(word)) return { value: options.isWanted ? fromHex(word.slice(2)) : null, end };
  if (/^[-+.\d]/u.test(word)) return { value: word, end };
  const next = skipSpaces(text, end);
  if (next >= text.length) return null;
  if (text[next] === "'") return readPrefixed(text, { word, at: next }, options);
  if (text[next] === '(') return readFunction(text, { word, at: next }, options);
  return { value: /^null$/iu.test(word) ? null : word.toLowerCase(), end };
}

/** X'ff', E'\n', and the character sets of MySQL: _binary 'x'. */
function readPrefixed(
  text: string,
  { word, at }: { word: string; at: number },
  options: ValueOptions,
): Value | null {
  if (/^x$/iu.test(word)) {
    const hex = readString(text, at, { ...options, hasEscapes: false });
    return hex?.value == null ? hex : { ...hex, value: fromHex(hex.value) };
  }
  if (/^e$/iu.test(word)) return readString(text, at, { ...options, hasEscapes: true });
  if (/^(?:b|n|_\w+)$/iu.test(word)) return readString(text, at, options);
  throw new SqlValueError(`"${word}" stands before a string`);
}

/** SQLite writes texts with line ends as replace('a\nb','\n',char(10)) or unistr('a\u000ab'). */
function readFunction(
  text: string,
  { word, at }: { word: string; at: number },
  options: ValueOptions,
): Value | null {
  if (options.depth >= maxDepth) throw new SqlValueError('functions are nested too deep');
  const values: string[] = [];
  let position = at + 1;
  for (;;) {
    const value = readValue(text, position, { ...options, depth: options.depth + 1 });
    if (value === null) return null;
    values.push(value.value ?? '');
    position = skipSpaces(text, value.end);
    if (position >= text.length) return null;
    if (text[position] === ')') break;
    if (text[position] !== ',') throw new SqlValueError(`the values of ${word}() are not separated by ","`);
    position++;
  }
  return { value: options.isWanted ? call(word.toLowerCase(), values) : null, end: position + 1 };
}

function call(name: string, values: readonly string[]): string {
  const [text = '', from = '', to = ''] = values;
  switch (name) {
    case 'replace':
      return from === '' ? text : text.replaceAll(from, () => to);
    case 'char':
      return values.map((value) => String.fromCharCode(Number(value) & 0xff)).join('');
    case 'unistr':
      return text.replaceAll(
        /\\(?:u([\dA-Fa-f]{4})|\+([\dA-Fa-f]{6})|U([\dA-Fa-f]{8})|([\dA-Fa-f]{4})|(\\))/gu,
        (_, ...[a, b, c, d, backslash]: (string | undefined)[]) =>
          backslash ?? toBytes(toCharacter(Number.parseInt(a ?? b ?? c ?? d ?? '', 16))),
      );
    default:
      throw new SqlValueError(`the function ${name}() is not known`);
  }
}

function toCharacter(code: number): string {
  if (code > 0x10_ff_ff) throw new SqlValueError(`unistr() has a character above U+10FFFF`);
  return String.fromCodePoint(code);
}

const toBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const fromHex = (hex: string) => Buffer.from(hex, 'hex').toString('latin1');

function readString(text: string, at: number, { hasEscapes, isWanted }: ValueOptions): Value | null {
  const quote = text[at] ?? "'";
  const end = findStringEnd(text, at + 1, { quote, hasEscapes });
  if (end === null) return null;
  if (!isWanted) return { value: null, end };
  const raw = text.slice(at + 1, end - 1).replaceAll(quote + quote, quote);
  return { value: hasEscapes ? unescape(text.slice(at + 1, end - 1), quote) : raw, end };
}

/** Returns the position after the quotation mark that ends a string. */
function findStringEnd(
  text: string,
  start: number,
  { quote, hasEscapes }: { quote: string; hasEscapes: boolean },
): number | null {
  let from = start;
  for (;;) {
    const at = text.indexOf(quote, from);
    // The next character can be the second one of a doubled quotation mark.
    if (at < 0 || at + 1 >= text.length) return null;
    if (hasEscapes && countBackslashes(text, from, at) % 2 === 1) from = at + 1;
    else if (text[at + 1] === quote) from = at + 2;
    else return at + 1;
  }
}

function countBackslashes(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && text[at - 1] === '\\') at--;
  return to - at;
}

/** As mysql_real_escape_string() writes them. */
const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001A',
};

const unescape = (text: string, quote: string) =>
  text.replaceAll(quote === "'" ? /\\([\s\S])|''/gu : /\\([\s\S])|""/gu, (_, escaped: string | undefined) =>
    escaped === undefined ? quote : (escapes[escaped] ?? escaped),
  );

/** Returns the position of the next character that is no space. */
export function skipSpaces(text: string, at: number): number {
  let position = at;
  while (position < text.length && text.charCodeAt(position) <= 32) position++;
  return position;
}

/** Returns what a sticky expression matches, or ''. */
function match(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? '';
}

const identifier = String.raw`(?:\x60(?:[^\x60]|\x60\x60)+\x60|"(?:[^"]|"")+"|\[[^\]]+\]|[A-Za-z_][\w$]*)`;
const tableName = String.raw`(?:${identifier}\.)?(${identifier})`;

const insertHeader = new RegExp(
  String.raw`^(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO\s+${tableName}\s*(?:\(([^)]*)\)\s*)?(?:OVERRIDING SYSTEM VALUE\s+)?VALUES\s*(?=\()`,
  'iu',
);

/** Reads 'INSERT INTO t (a, b) VALUES' up to the first row. Columns are null if the statement does not name them. */
export function readInsertHeader(
  text: string,
): { table: string; columns: string[] | null; length: number } | null {
  const header = insertHeader.exec(text);
  if (header === null) return null;
  const [all, table = '', columns] = header;
  return {
    table: unquote(table),
    columns: columns === undefined ? null : listNames(columns),
    length: all.length,
  };
}

const listNames = (list: string) =>
  Array.from(list.matchAll(new RegExp(identifier, 'gu')), ([name]) => unquote(name));

function unquote(name: string): string {
  const first = name[0] ?? '';
  if (first === '[') return name.slice(1, -1);
  return first === '`' || first === '"' ? name.slice(1, -1).replaceAll(first + first, first) : name;
}

/** Words that begin a constraint or an index in CREATE TABLE. */
const constraints = /^(?:primary|key|unique|constraint|index|fulltext|spatial|check|foreign|exclude|like)$/iu;

/** Reads the names of the columns in a CREATE TABLE statement, which ends with a semicolon. */
export function readTableColumns(
  text: string,
  dialect: SqlDialect,
): { table: string; columns: string[]; end: number } | null {
  const start = new RegExp(
    String.raw`^CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?${tableName}\s*\(`,
    'iu',
  ).exec(text);
  if (start === null) return null;
  const columns: string[] = [];
  let [depth, isStart, at] = [1, true, start[0].length];
  const name = new RegExp(identifier, 'uy');
  while (at < text.length) {
    at = skipSpaces(text, at);
    if (depth === 1 && isStart) {
      const column = match(name, text, at);
      if (column !== '' && !constraints.test(column)) columns.push(unquote(column));
      isStart = false;
      at += column.length;
      continue;
    }
    const character = text[at];
    if (character === ';' && depth === 0) return { table: unquote(start[1] ?? ''), columns, end: at + 1 };
    if (character === "'" || character === '"' || character === '`') {
      const end = findStringEnd(text, at + 1, {
        quote: character,
        hasEscapes: dialect.hasEscapes && character === "'",
      });
      if (end === null) return null;
      at = end;
      continue;
    }
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === ',' && depth === 1) isStart = true;
    at++;
  }
  return null;
}
