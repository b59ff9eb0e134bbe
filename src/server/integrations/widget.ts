import { readFile } from 'node:fs/promises';
import { createTextFile, type PublicFile } from '#server/core/public-files.ts';
import type { Reader } from '#server/core/database.ts';
import { findSimilar, findTagByKey } from '#server/discovery/index.ts';
import { translate } from '#server/notifications/index.ts';
import { isLanguage, type Language } from '#shared/core/languages.ts';
import { limits } from '#shared/core/limits.ts';
import { getTextDirection, hasForbiddenCharacters, tagKey } from '#shared/core/text.ts';
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
  const text = (id: 'heading' | 'related' | 'empty' | 'ask' | 'failed') =>
    translate(language, `widget.${id}`, id === 'heading' ? { tag: '{tag}' } : {});
  const texts = {
    language,
    direction: getTextDirection(language),
    heading: text('heading'),
    related: text('related'),
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

/** The questions that a site asks for: those of a tag, or those related to a text of its page. */
export type WidgetSubject = { tag: string } | { related: string; description: string };

/** What the widget shows: the newest questions of a tag, or the most similar ones. Null if there is no such tag. */
export async function buildWidgetData(
  db: Reader,
  {
    subject,
    count,
    language,
    origin,
  }: { subject: WidgetSubject; count: number; language: Language; origin: string },
): Promise<PublicFile | null> {
  const rows = await ('tag' in subject ? listNewest(subject.tag) : listRelated(subject));
  if (rows === null) return null;
  const questions = rows.map(({ id, title, answer_count: answers }) => ({
    title,
    url: `${origin}${questionPath(id, title)}`,
    answers: translate(language, 'widget.answers', { count: answers }),
  }));
  return createTextFile([JSON.stringify({ questions })], {
    contentType: 'application/json; charset=utf-8',
    lastModified: undefined,
  });

  async function listNewest(tag: string) {
    const row = await findTagByKey(db, tag);
    return row === undefined ? null : listWidgetQuestions(db, { tagId: row.id, limit: count });
  }

  async function listRelated({ related, description }: { related: string; description: string }) {
    const wanted = { title: related, content: description, tags: [], except: null, limit: count };
    const rows = await findSimilar(db, wanted);
    return rows.map(({ card }) => ({ id: card.id, title: card.title, answer_count: card.answerCount }));
  }
}

/** The longest description that is compared, in characters. */
const maxDescription = 1_000;

/** The questions that the query of `/widget.json` names; null if it names none, or cannot. */
export function parseWidgetSubject({
  tag,
  related,
  description = '',
}: Readonly<Record<string, string>>): WidgetSubject | null {
  if (tag !== undefined)
    return tag === '' || tag.length > 200 || tag.includes('\0') ? null : { tag: tagKey(tag) };
  if (related === undefined || hasForbiddenCharacters(related + description)) return null;
  return {
    related: shorten(related, limits.title),
    description: shorten(description, maxDescription),
  };
}

/** With single spaces, so that one text is one cache entry. */
const shorten = (text: string, max: number) =>
  text.replaceAll(/\s+/gu, ' ').trim().slice(0, max).toWellFormed();

/** The language that a site asks for; the language of the community for anything else. */
export const parseWidgetLanguage = (text: string | undefined, siteLanguage: Language): Language =>
  text !== undefined && isLanguage(text) ? text : siteLanguage;

/** The number of questions that a site asks for; the usual one for anything else. */
export function parseQuestionCount(text: string | undefined): number {
  const count = /^\d{1,3}$/u.test(text ?? '') ? Number(text) : usualQuestions;
  return Math.min(Math.max(count, 1), maxQuestions);
}
