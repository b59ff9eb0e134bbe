import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { beforeAll, describe, expect, test } from 'vitest';
import { findEagerMessages, findUntranslatedTexts } from './lib/find-messages.ts';
import { project } from './lib/project.mjs';

/** Names of programming languages, and values of styles. */
const wordless = new Set(['src/web/ui/markdown/language-names.ts', 'src/web/app/theme.ts']);
const sources = globSync('src/web/**/*.{ts,tsx}', { cwd: project }).filter(
  (file) => !/\.test\.tsx?$/u.test(file) && !wordless.has(file),
);
const config = getConfig({ cwd: project });
const translated = config.locales.filter((locale) => locale !== 'en');

describe('every text of the interface', () => {
  test('is made by the macros that bring it into the catalogues', () => {
    expect(inSources(findUntranslatedTexts)).toEqual([]);
  });

  test('is worked out when it is shown, in the language of that moment', () => {
    expect(inSources(findEagerMessages)).toEqual([]);
  });

  test.each([
    ['<p>Nothing here yet</p>', 'Nothing here yet'],
    ['<p>{empty ? "none" : t`some`}</p>', 'none'],
    ['<input aria-label="search" />', 'search'],
    ["toast('Saved')", 'Saved'],
    ['const hint = `${name} left the thread`;', '{} left the thread'],
  ])('outside of them is found: %s', (code, text) => {
    expect(findUntranslatedTexts(code)).toEqual([{ line: 1, text }]);
  });

  test.each([
    '<p className="Some Thing">{t`Nothing here yet`}</p>',
    '<p><Trans>Nothing <b>here</b></Trans></p>',
    "if (key === 'Enter') throw new Error('No such key');",
    "import { a } from 'Some Thing';",
    'const hint = () => plural(n, { one: "One thing", other: "Some things" });',
  ])('alone is meant: %s', (code) => {
    expect(findUntranslatedTexts(code)).toEqual([]);
  });

  test('that is made while a file is loaded is found', () => {
    expect(findEagerMessages('const early = t`Too early`;\nconst later = () => t`In time`;')).toEqual([
      { line: 1, text: 't`Too early`' },
    ]);
  });
});

describe('the catalogues', () => {
  let catalogue: Awaited<ReturnType<typeof getCatalogs>>[number];
  let collected: Map<string, string>;
  beforeAll(async () => {
    const [first] = await getCatalogs(config);
    if (first === undefined) throw new Error('lingui.config.ts names no catalogue.');
    catalogue = first;
    const found = (await first.collect()) ?? {};
    collected = new Map(Object.entries(found).map(([id, { message }]) => [id, message ?? id]));
  });

  test.each(config.locales)(
    'hold the texts of the code in %s and no others, as `npm run texts` writes them',
    async (locale) => {
      const held = Object.keys((await catalogue.read(locale)) ?? {});
      expect(held.toSorted()).toEqual([...collected.keys()].toSorted());
    },
  );

  test('hold each sentence once: what the server says is taken from there by `translateServerMessage`', () => {
    const words = [...collected.values()];
    expect(words.filter((text, at) => words.indexOf(text) !== at)).toEqual([]);
  });

  test.each(translated)(
    'have every text in %s, with what is put in and the plurals of that language',
    async (locale) => {
      const wrong: string[] = [];
      for (const [id, { translation }] of Object.entries((await catalogue.read(locale)) ?? {})) {
        const english = collected.get(id) ?? '';
        const problem = translation === '' ? 'missing' : problemOf(english, translation, locale);
        if (problem !== null) wrong.push(`${english}: ${problem}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

function inSources(find: typeof findUntranslatedTexts): string[] {
  return sources.flatMap((file) =>
    find(readFileSync(path.join(project, file), 'utf8')).map(({ line, text }) => `${file}:${line}: ${text}`),
  );
}

/** What is wrong with a translation; null when its placeholders and plural forms are those they must be. */
function problemOf(english: string, translation: string, locale: string): string | null {
  const [wanted, given] = [shapeOf(english), shapeOf(translation)];
  const missing = wanted.names.filter((name) => !given.names.includes(name));
  const unknown = given.names.filter((name) => !wanted.names.includes(name));
  if (missing.length > 0) return `lacks {${missing.join('}, {')}}`;
  if (unknown.length > 0) return `does not know {${unknown.join('}, {')}}`;
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
  for (const plural of given.plurals)
    for (const form of forms) if (!plural.includes(form)) return `lacks the plural form ${form}`;
  return null;
}

/** The names of what is put into a message, tags such as <0> among them, and the forms of each plural in it. */
function shapeOf(message: string): { names: string[]; plurals: string[][] } {
  const names = new Set<string>();
  const plurals: string[][] = [];
  const read = (part: unknown): void => {
    if (!Array.isArray(part)) return;
    if (typeof part[0] === 'string' && part.length <= 3) {
      const [name, kind, forms] = part as [string, string?, Record<string, unknown>?];
      names.add(name);
      if (kind === 'plural' && forms !== undefined) plurals.push(Object.keys(forms));
      if (typeof forms === 'object')
        for (const form of Object.values(forms)) if (Array.isArray(form)) for (const each of form) read(each);
    }
  };
  const compiled = compileMessage(message);
  if (Array.isArray(compiled)) for (const part of compiled) read(part);
  for (const [, tag] of message.matchAll(/<(\d+)\/?>/gu)) names.add(`<${tag}>`);
  return { names: [...names], plurals };
}
