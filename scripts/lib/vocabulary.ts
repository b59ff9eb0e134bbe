/**
 * Words that must not come back in names, each with the word to use instead. Names are identifiers, paths, routes, events,
 * metrics, tables, columns, CSS classes and file names; comments and texts are not checked. A term of several words is found
 * in every notation: 'second factor' in `secondFactor`, `second_factor` and `second-factor`.
 */
export const bannedTerms: Readonly<Record<string, string>> = {
  // Members and moderation.
  asker: 'author',
  'asked before': 'duplicate',
  'brought back': 'restored',
  care: 'moderation',
  keeper: 'moderator',
  nobody: 'the case that is meant, such as visitor',
  'put away': 'hidden',
  somebody: 'member',
  standing: 'account status',
  standings: 'account status',
  undoing: 'removal',
  undone: 'removed',
  whoever: 'member',
  // Accounts.
  belongings: 'data export',
  departure: 'account deletion',
  'lost factors': 'recovery',
  sealed: 'encrypted',
  'second factor': 'two-factor',
  'ways in': 'sign-in methods',
  // Notifications and email.
  'at once': 'instant or immediate',
  bells: 'notifications',
  mail: 'email',
  mailed: 'emailed',
  mailing: 'email',
  mails: 'emails',
  told: 'notified or published',
  // Posts and lists.
  'best known': 'popular',
  keeping: 'storing',
  kept: 'cached, saved or stored',
  'letting go': 'merge',
  'solved by': 'accepted answer',
  // Events, caches and load.
  calmly: 'throttled',
  dear: 'expensive',
  folder: 'directory',
  folders: 'directories',
  flood: 'rate limit',
  floods: 'rate limits',
  heard: 'received',
  'in one go': 'pipelined',
  lane: 'queue',
  lanes: 'queues',
  lastly: 'final',
  leftovers: 'orphans',
  news: 'events',
  'read model': 'response cache',
  sums: 'statistics or totals',
  tells: 'publishes',
  'who is writing': 'typing presence',
};

/** A name with a banned term. */
export type BannedName = { file: string; line: number; name: string; term: string; use: string };

/** The words of a name in lower case: `isSecondFactor`, `is_second_factor` and `is-second-factor` have the same three. */
export function splitName(name: string): string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

const terms = Object.keys(bannedTerms).map((term) => ({ term, words: term.split(' ') }));
const termsByFirstWord = Map.groupBy(terms, ({ words }) => words[0]);

/** The banned terms in a name. */
export function findBannedTerms(name: string): string[] {
  const words = splitName(name);
  return words.flatMap((first, at) =>
    (termsByFirstWord.get(first) ?? [])
      .filter((each) => each.words.every((word, index) => words[at + index] === word))
      .map(({ term }) => term),
  );
}

/** Names that mean something else. */
const allowedNames: ReadonlySet<string> = new Set([
  // Of nodemailer and smtp-server.
  'sendMail',
  'mailFrom',
  'onMailFrom',
  // The unprivileged account of operating systems.
  'nobody',
  // Words in tests of search and of names.
  'e-mail',
  // An element of Outlook for Mac.
  'mail-editor-reference-message-container',
  // A column of Apache Answer.
  'e_mail',
  'somebody$',
  'user:nobody',
  '/search?q=Somebody&type=users',
]);

/**
 * The names with a banned term in a file: in its path, and in its text by the kind of file. Strings of tests are not
 * checked unless they look like a path, an event or another compound name: a test may have 'kept' as a value.
 */
export function findBannedNames(file: string, text: string): BannedName[] {
  const bannedNames = new Map<string, BannedName>();
  const names = [{ name: file, line: 0 }, ...listNames(file, text)];
  for (const { name, line } of names) {
    if (allowedNames.has(name)) continue;
    for (const term of findBannedTerms(name))
      bannedNames.set(`${line} ${name} ${term}`, { file, line, name, term, use: bannedTerms[term] ?? '' });
  }
  return [...bannedNames.values()];
}

type Name = { name: string; line: number };

function listNames(file: string, text: string): Name[] {
  if (/\.(ts|tsx|mjs|cjs|js)$/u.test(file)) return listScriptNames(file, text);
  if (file.endsWith('.sql')) return listSqlNames(text);
  if (file.endsWith('.css')) return listStyleNames(text);
  return [];
}

/** Comments, regular expressions, strings, the start of a template, braces and identifiers, in this order of precedence. */
const scriptToken =
  /(?<skipped>\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?<=[(,=:[!&|?;{}\n]\s*|\breturn )\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<mark>[`{}])|(?<name>[#@]?[\p{L}_$][\p{L}\p{N}_$]*)/gu;

function listScriptNames(file: string, text: string): Name[] {
  const isTest = /\.(test|spec)\.|^tests\//u.test(file);
  const result: Name[] = [];
  const lineOf = createLineFinder(text);
  readCode(0);
  return result;

  /** Reads code up to its closing brace, or to the end. Returns where it ends. */
  function readCode(from: number): number {
    const token = new RegExp(scriptToken);
    token.lastIndex = from;
    for (let [depth, match] = [0, token.exec(text)]; match !== null; match = token.exec(text)) {
      const { string, mark, name } = match.groups ?? {};
      if (name !== undefined && isIdentifier(file, text, { index: match.index, name }))
        add(name, match.index);
      const value = string?.slice(1, -1);
      if (value !== undefined && isNameInString(value, isTest)) add(value, match.index);
      if (mark === '`') token.lastIndex = readTemplate(token.lastIndex);
      else if (mark === '{') depth++;
      else if (mark === '}' && depth-- === 0) return token.lastIndex;
    }
    return text.length;
  }

  /** Reads a template behind its first backtick: the names in SQL, paths, and the code in `${…}`. */
  function readTemplate(from: number): number {
    let literal = '';
    let at = from;
    while (at < text.length && text[at] !== '`') {
      if (text.startsWith('${', at)) {
        at = readCode(at + 2);
        literal += '$';
        continue;
      }
      const length = text[at] === '\\' ? 2 : 1;
      literal += text.slice(at, at + length);
      at += length;
    }
    if (/^\s*(?:with|select|insert|update|delete|create|alter|from|join|and|or|case)\b/u.test(literal))
      for (const { name } of listSqlNames(literal)) add(name, from);
    else if (/^[\w./:$*?=&-]+$/u.test(literal)) add(literal, from);
    return at + 1;
  }

  function add(name: string, index: number): void {
    result.push({ name, line: lineOf(index) });
  }
}

/** In JSX, a single lower-case word may be text; what is declared or used as a name is checked all the same. */
function isIdentifier(file: string, text: string, { index, name }: { index: number; name: string }): boolean {
  if (!file.endsWith('x') || splitName(name).length > 1) return true;
  const before = text.slice(Math.max(0, index - 12), index);
  const after = text.slice(index + name.length, index + name.length + 3);
  return /(?:\b(?:const|let|function|type)\s+|[{(,.]\s*)$/u.test(before) || /^\??[:=(]/u.test(after);
}

/**
 * A value, path or name without spaces, such as 'draft-changed' or '/moderation/log'. A single capitalized word is text, and
 * addresses are values. */
function isNameInString(value: string, isTest: boolean): boolean {
  if (!/^[\w./:{}$*?=&@#-]+$/u.test(value) || /^\p{Lu}\p{Ll}*$|^https?:|.@/u.test(value)) return false;
  return !isTest || /^\/|\w[-_.:/]\w|[a-z][A-Z]/u.test(value);
}

function listSqlNames(sql: string): Name[] {
  const lineOf = createLineFinder(sql);
  const token =
    /(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|'(?<value>(?:[^']|'')*)'|(?<name>"?[\p{L}_][\p{L}\p{N}_]*)/gu;
  return [...sql.matchAll(token)].flatMap(({ index, groups = {} }) => {
    const name = groups['name'] ?? groups['value'];
    return name === undefined || /\s/u.test(name) ? [] : [{ name, line: lineOf(index) }];
  });
}

function listStyleNames(text: string): Name[] {
  const lineOf = createLineFinder(text);
  const plain = text.replaceAll(/\/\*[\s\S]*?\*\//gu, (comment) => comment.replaceAll(/[^\n]/gu, ' '));
  return [...plain.matchAll(/(?:[.#]|--|\[data-|@keyframes\s+)([a-zA-Z][\w-]*)/gu)].map(
    ({ index, 1: name = '' }) => ({
      name,
      line: lineOf(index),
    }),
  );
}

function createLineFinder(text: string): (index: number) => number {
  const starts = [...text.matchAll(/^/gmu)].map(({ index }) => index);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
