import { projectRoot } from '#server/core/paths.ts';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Texts that attack programs or are known to break them. */
export type Corpora = {
  /** Whether these are the public lists; otherwise a few built-in texts. */
  isComplete: boolean;
  /** Attacks on pages and databases, and unusual words, each on one line or a few. */
  lines: string[];
  /** Texts that made Markdown parsers hang, and edge cases of the Markdown specifications. */
  slowMarkdown: string[];
  markdown: string[];
  /** Common passwords, reserved names and similar words. */
  words: string[];
};

/** The directory of the public lists, on machines that have them: next to the checkout, or PARLEY_CORPORA. */
const corporaDirectory = path.resolve(projectRoot, process.env['PARLEY_CORPORA'] ?? '../shared/data/corpora');

/** Reads the public lists, or a few texts of each kind where they are missing; warns in that case. */
export function readCorpora(): Corpora {
  if (!existsSync(corporaDirectory)) {
    console.warn(
      `The public lists of attacks are not at ${corporaDirectory}: only a few built-in texts are tested.`,
    );
    return { isComplete: false, ...builtInTexts };
  }
  const lines = [
    'xss/payloadbox-xss-payload-list.txt',
    'xss/owasp-xss-filter-evasion.md',
    'injection/patt-sqli-SQLi_Polyglots.txt',
    'injection/patt-sqli-FUZZDB_Postgres_Enumeration.txt',
    'injection/patt-sqli-Generic_TimeBased.txt',
    'injection/patt-sqli-Auth_Bypass.txt',
    'injection/patt-sqli-Generic_ErrorBased.txt',
    'injection/patt-open-redirect.txt',
    'naughty-strings/blns.txt',
  ].flatMap(linesOf);
  const naughty = JSON.parse(read('naughty-strings/blns.json')) as string[];
  const words = [
    'names/reserved-usernames.txt',
    'names/badwords-en.txt',
    'names/disposable-email-domains.txt',
    'passwords/top10k.txt',
    'passwords/zxcvbn-passwords.txt',
  ].flatMap(linesOf);
  return {
    isComplete: true,
    lines: [...new Set([...lines, ...naughty])].filter((line) => line.trim() !== ''),
    slowMarkdown: [
      'redos-backticks_alternating_in_link.md',
      'redos-backticks_in_link_label.md',
      'redos-backticks_in_link_no_close.md',
      'redos-link_code.md',
      'redos-link_redos.md',
    ]
      .map((name) => read(`markdown/${name}`))
      .concat(builtInTexts.slowMarkdown),
    markdown: [
      'commonmark-spec.json',
      'cmark-gfm-spec.json',
      'cmark-gfm-extensions.json',
      'cmark-gfm-regression.json',
      'gfm-0.29.json',
    ].flatMap((name) =>
      (JSON.parse(read(`markdown/${name}`)) as { markdown: string }[]).map(({ markdown }) => markdown),
    ),
    words: [...new Set(words)],
  };
}

/** Joins items, in order, into texts of at most `size` characters. Leaves out items that are longer. */
export function packTexts(items: readonly string[], size: number, between = '\n\n'): string[] {
  const texts: string[] = [];
  let text = '';
  for (const item of items.filter(({ length }) => length <= size)) {
    const longer = text === '' ? item : text + between + item;
    if (longer.length <= size) text = longer;
    else {
      texts.push(text);
      text = item;
    }
  }
  return text === '' ? texts : [...texts, text];
}

const read = (name: string) => readFileSync(path.join(corporaDirectory, name), 'utf8');
const linesOf = (name: string) => read(name).split(/\r?\n/u);

const builtInTexts: Omit<Corpora, 'isComplete'> = {
  lines: [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '[click](javascript:alert(1))',
    "';alert(1)//",
    '</script><script>alert(1)</script>',
    "' or 1=1; drop table member; --",
    '1; select pg_sleep(10)',
    '//evil.example/%2f..',
    '{{7*7}} ${7*7} %s%n',
    '\u202eright to left\u202c',
    '𝒜𝓃𝓎 𝓉𝑒𝓍𝓉 👩‍👩‍👧‍👦 ﷽',
  ],
  slowMarkdown: [
    '['.repeat(1_900),
    '`a'.repeat(950),
    '**a'.repeat(600),
    '![[]()'.repeat(300),
    '> '.repeat(900),
    `${'a '.repeat(900)}|`,
  ],
  markdown: ['# a\n\n> b\n> - c', '|a|b|\n|-|-|\n|c|d|', '[a]: /b "c"\n\n[a]', '~~a~~ www.example.org'],
  words: ['password', 'admin', 'mailinator.example'],
};
