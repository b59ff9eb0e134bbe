import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { beforeAll, describe, expect, test } from 'vitest';
import { findEagerMessages, findMessagesInTrans, findUntranslatedTexts } from './lib/find-messages.ts';
import { project } from './lib/project.mjs';
import { errorTable } from '#shared/errors.ts';
import { tagDescriptions } from '#shared/posts/tag-descriptions.ts';

/** Names of programming languages and style values. */
const wordless = new Set(['src/web/ui/markdown/language-names.ts', 'src/web/app/theme.tsx']);
const sources = globSync('src/web/**/*.{ts,tsx}', { cwd: project }).filter(
  (file) => !/\.test\.tsx?$/u.test(file) && !wordless.has(file),
);
const config = getConfig({ cwd: project });
const translated = config.locales.filter((locale) => locale !== 'en');
/** What a language does not use (docs/translating.md): the other form of address, foreign punctuation. */
const unwanted: Readonly<Record<string, RegExp>> = {
  ar: /“|[ء-ي][,;?]/u,
  de: /[”"]|\p{L} (?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b/u,
  es: /[“”]/u,
  fr: /'|« | [:;!?»%]/u,
  ja: /[ぁ-んァ-ヶ一-龠][:;!?()]|[ぁ-んァ-ヶ一-龠] (?!https:)[A-Za-z0-9{#]/u,
  zh: /您|[一-龠][,:;!?()]/u,
};

describe('the texts of the interface', () => {
  test('use the macros that add them to the catalogues', () => {
    expect(inSources(findUntranslatedTexts)).toEqual([]);
  });

  test('are evaluated when they are rendered, in the current language', () => {
    expect(inSources(findEagerMessages)).toEqual([]);
  });

  test('use no macro inside Trans, which has the component Plural for numbers', () => {
    expect(inSources(findMessagesInTrans)).toEqual([]);
  });

  test.each([
    ['<p>Nothing here yet</p>', 'Nothing here yet'],
    ['<p>{empty ? "none" : t`some`}</p>', 'none'],
    ['<input aria-label="search" />', 'search'],
    ["toast('Saved')", 'Saved'],
    ['const hint = `${name} left the thread`;', '{} left the thread'],
  ])('are detected without a macro: %s', (code, text) => {
    expect(findUntranslatedTexts(code)).toEqual([{ line: 1, text }]);
  });

  test.each([
    '<p className="Some Thing">{t`Nothing here yet`}</p>',
    '<p><Trans>Nothing <b>here</b></Trans></p>',
    "if (key === 'Enter') throw new Error('No such key');",
    "import { a } from 'Some Thing';",
    'const hint = () => plural(n, { one: "One thing", other: "Some things" });',
  ])('are distinguished from code and translated texts: %s', (code) => {
    expect(findUntranslatedTexts(code)).toEqual([]);
  });

  test('are detected when they are evaluated while a file is loaded', () => {
    expect(findEagerMessages('const early = t`Too early`;\nconst later = () => t`In time`;')).toEqual([
      { line: 1, text: 't`Too early`' },
    ]);
  });
});

test('macros inside Trans are detected', () => {
  expect(findMessagesInTrans("<Trans>{plural(n, { one: 'One day', other: '# days' })} left</Trans>")).toEqual(
    [{ line: 1, text: "plural(n, { one: 'One day', other: '# days' })" }],
  );
  for (const right of [
    '<Trans><Plural value={n} one="One day" other="# days" /> left</Trans>',
    '<Trans>Open <a title={t`Settings`}>this</a></Trans>',
    "<p>{plural(n, { one: 'One day', other: '# days' })}</p>",
  ])
    expect(findMessagesInTrans(right)).toEqual([]);
});

describe('the catalogues', () => {
  let catalogue: Awaited<ReturnType<typeof getCatalogs>>[number];
  let collected: Map<string, string>;
  beforeAll(async () => {
    const [first] = await getCatalogs(config);
    if (first === undefined) throw new Error('lingui.config.ts has no catalogue.');
    catalogue = first;
    const messages = (await first.collect()) ?? {};
    collected = new Map(Object.entries(messages).map(([id, { message }]) => [id, message ?? id]));
  });

  test.each(config.locales)(
    'have exactly the texts of the code in %s, as `npm run texts` writes them',
    async (locale) => {
      const held = Object.keys((await catalogue.read(locale)) ?? {});
      expect(held.toSorted()).toEqual([...collected.keys()].toSorted());
    },
  );

  test('have the English of the code in en, which browsers show', async () => {
    const held = Object.entries((await catalogue.read('en')) ?? {});
    const stale = held.filter(([id, { translation }]) => translation !== collected.get(id));
    expect(stale.map(([id]) => id)).toEqual([]);
  });

  test('have each text of the interface once', () => {
    // Two errors may have the same text, and emails, the widget and the page without scripts may have texts of the
    // interface.
    const texts = [...collected]
      .filter(([id]) => !/^(?:error|email|push|widget|page)\./u.test(id))
      .map(([, text]) => text);
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });

  test('have the text of every error and every described tag', () => {
    for (const [code, [, text]] of Object.entries(errorTable))
      expect(collected.get(`error.${code}`)).toBe(text);
    for (const [tag, text] of Object.entries(tagDescriptions)) expect(collected.get(`tag.${tag}`)).toBe(text);
  });

  test.each(translated)('have every text in %s, with all placeholders and plural forms', async (locale) => {
    const wrong: string[] = [];
    for (const [id, { translation }] of Object.entries((await catalogue.read(locale)) ?? {})) {
      const english = collected.get(id) ?? '';
      const problem = translation === '' ? 'missing' : problemOf(english, translation, locale);
      if (problem !== null) wrong.push(`${english}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each(translated)('have the punctuation and the form of address of %s', async (locale) => {
    const wrong = Object.values((await catalogue.read(locale)) ?? {})
      .map(({ translation }) => translation)
      .filter((translation) => unwanted[locale]?.test(translation) === true)
      // Members type the same signs into the search in every language.
      .filter((translation) => !/is:solved|^"|-"/u.test(translation));
    expect(wrong).toEqual([]);
  });
});

function inSources(find: typeof findUntranslatedTexts): string[] {
  return sources.flatMap((file) =>
    find(readFileSync(path.join(project, file), 'utf8')).map(({ line, text }) => `${file}:${line}: ${text}`),
  );
}

/** The error in a translation; null if its placeholders and plural forms are correct. */
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

/** The names of the placeholders of a message, including tags such as <0>, and the forms of each plural. */
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
