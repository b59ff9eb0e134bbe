import { projectRoot } from '#server/core/paths.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { formatter } from '@lingui/format-po';

/** The texts of a language by their English ones. */
export async function loadTranslations(language: string): Promise<(english: string) => string> {
  const filename = path.join(projectRoot, `src/web/languages/${language}.po`);
  const catalogue = await formatter().parse(readFileSync(filename, 'utf8'), {
    locale: language,
    sourceLocale: 'en',
    filename,
  });
  const texts = new Map(
    Object.entries(catalogue).map(([id, { message = id, translation }]) => [message, translation]),
  );
  return (english) => {
    const text = texts.get(english);
    if (text === undefined || text === '') throw new Error(`${filename} has nothing for “${english}”.`);
    return text;
  };
}
