import { projectRoot } from '#server/core/paths.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { formatter } from '@lingui/format-po';

/** Maps English interface texts to those of a language. */
export async function loadTranslations(language: string): Promise<(english: string) => string> {
  const catalogue = await readCatalogue(language);
  const texts = new Map(
    Object.entries(await readCatalogue('en')).map(([id, { translation: english }]) => [
      english,
      catalogue[id]?.translation,
    ]),
  );
  return (english) => {
    const text = texts.get(english);
    if (text === undefined || text === '') throw new Error(`${language}.po has no message for “${english}”.`);
    return text;
  };
}

function readCatalogue(locale: string) {
  const filename = path.join(projectRoot, `src/web/languages/${locale}.po`);
  return formatter().parse(readFileSync(filename, 'utf8'), { locale, sourceLocale: 'en', filename });
}
