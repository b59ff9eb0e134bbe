import { readFile } from 'node:fs/promises';
import { createTextFile, type PublicFile } from '#server/core/public-files.ts';
import type { Reader } from '#server/core/database.ts';
import { findTagByKey } from '#server/discovery/index.ts';
import { translate } from '#server/notifications/index.ts';
import type { Language } from '#shared/core/languages.ts';
import { getTextDirection, tagKey } from '#shared/core/text.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { listWidgetQuestions } from './web-feeds-queries.ts';

/** The script that other sites include, and the data that it requests. */
export const widgetScriptPath = '/widget.js';
export const widgetDataPath = '/widget.json';

const maxQuestions = 10;
const usualQuestions = 5;

/** The script with its texts in a language. */
export async function buildWidgetScript(language: Language): Promise<PublicFile> {
  const source = await readFile(new URL('widget-script.js', import.meta.url), 'utf8');
  const text = (id: 'heading' | 'empty' | 'ask' | 'failed') =>
    translate(language, `widget.${id}`, id === 'heading' ? { tag: '{tag}' } : {});
  const texts = {
    language,
    direction: getTextDirection(language),
    heading: text('heading'),
    empty: text('empty'),
    ask: text('ask'),
    failed: text('failed'),
  };
  const script = source.replace('/* TEXTS */ {}', () => JSON.stringify(texts));
  return createTextFile([script], {
    contentType: 'text/javascript; charset=utf-8',
    lastModified: undefined,
  });
}

/** What the widget shows: the newest questions of a tag. Null if there is no such tag. */
export async function buildWidgetData(
  db: Reader,
  { tag, count, language, origin }: { tag: string; count: number; language: Language; origin: string },
): Promise<PublicFile | null> {
  const row = await findTagByKey(db, tagKey(tag));
  if (row === undefined) return null;
  const rows = await listWidgetQuestions(db, { tagId: row.id, limit: count });
  const questions = rows.map(({ id, title, answer_count: answers }) => ({
    title,
    url: `${origin}${questionPath(id, title)}`,
    answers: translate(language, 'widget.answers', { count: answers }),
  }));
  return createTextFile([JSON.stringify({ questions })], {
    contentType: 'application/json; charset=utf-8',
    lastModified: undefined,
  });
}

/** The number of questions that a site asks for; the usual one for anything else. */
export function parseQuestionCount(text: string | undefined): number {
  const count = /^\d{1,3}$/u.test(text ?? '') ? Number(text) : usualQuestions;
  return Math.min(Math.max(count, 1), maxQuestions);
}
