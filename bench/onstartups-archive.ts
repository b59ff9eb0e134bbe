import { tagKey } from '#shared/core/text.ts';
import { projectRoot } from '#server/core/paths.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { copyRows } from '#server/import-export/copy-rows.ts';
import { createExcerpt } from '#server/posts/excerpt.ts';
import { normalizeTags } from '#shared/posts/tags.ts';

/** A question of the archive with its answers, as in its JSON lines; dates are days. */
type Thread = {
  id?: number;
  title: string;
  markdown: string;
  author: string;
  date: string;
  score: number;
  tags: string[];
  answers: { markdown: string; author: string; date: string; score: number }[];
};

/** A question of this project, in addition to those of the archive. */
export type OwnQuestion = { title: string; content: string; tags: string[] };

/** Where the archives are: next to the checkout. */
const dataDirectory = path.join(projectRoot, '../shared/data');

/**
 * Imports the OnStartups Answers archive (CC BY-SA) into an empty migrated database. Resolves with the number of
 * questions.
 */
export async function loadOnStartups(
  client: pg.Client,
  own: readonly OwnQuestion[],
  directory = dataDirectory,
): Promise<number> {
  const threads = [...(await readThreads(directory)), ...own.map(asThread)];
  await client.query('begin');
  await copyRows(
    client,
    `base_question (id, imported_author_name, title, content, tag_text, excerpt, excerpt_cut, upvotes, downvotes,
       imported_upvotes, imported_downvotes, answer_count, created_at, active_at)`,
    questionRows(threads),
  );
  await copyRows(
    client,
    `base_answer (question_id, imported_author_name, content, upvotes, downvotes,
       imported_upvotes, imported_downvotes, created_at)`,
    answerRows(threads),
  );
  const names = normalizeTags(threads.flatMap((thread) => thread.tags));
  const ids = new Map(names.map((name, index) => [tagKey(name), index + 1]));
  await copyRows(
    client,
    'tag (id, name, key)',
    names.map((name, index) => [index + 1, name, tagKey(name)]),
  );
  await copyRows(
    client,
    'base_question_tag (question_id, tag_id, position, question_created_at)',
    tagRows(threads, ids),
  );
  await client.query(`
    update tag set questions_count = used.questions
    from (select tag_id, count(*) as questions from question_tag group by tag_id) used where used.tag_id = tag.id`);
  await client.query('commit');
  await client.query('vacuum analyze');
  return threads.length;
}

/** Two questions: their ids after `loadOnStartups`, and on the site, as in links. */
export type LinkedQuestions = { from: number; to: number; fromKey: string; toKey: string };

/** Returns the questions that begin with 'Possible Duplicate' and a link to a question of the archive. */
export async function readOnStartupsDuplicates(directory: string): Promise<LinkedQuestions[]> {
  const threads = await readThreads(directory);
  const ids = new Map(threads.map(({ id }, index) => [String(id), index + 1]));
  return threads.flatMap(({ id, markdown }, index) => {
    if (!/possible duplicate/iu.test(markdown)) return [];
    const links = new Set(
      Array.from(markdown.matchAll(/^> .*\/questions\/(\d+)\//gmu), ([, key = '']) => key),
    );
    return [...links].flatMap((toKey) => {
      const to = ids.get(toKey);
      return to === undefined || to === index + 1
        ? []
        : [{ from: index + 1, to, fromKey: String(id), toKey }];
    });
  });
}

async function readThreads(directory: string): Promise<Thread[]> {
  // readline would also end a line at U+2028.
  const lines = gunzipSync(await readFile(path.join(directory, 'onstartups-markdown/threads.jsonl.gz')))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Thread);
}

function asThread({ title, content, tags }: OwnQuestion): Thread {
  return { title, markdown: content, author: 'Sam', date: '2013-01-01', score: 0, tags, answers: [] };
}

function* questionRows(threads: readonly Thread[]) {
  for (const [index, { author, title, markdown, tags, score, answers, date }] of threads.entries()) {
    const { excerpt: text, cut } = createExcerpt(markdown);
    const cells = [index + 1, author, title, markdown, normalizeTags(tags).join(', '), text, cut];
    yield [...cells, ...votes(score), answers.length, `${date} UTC`, `${date} UTC`];
  }
}

function* answerRows(threads: readonly Thread[]) {
  for (const [index, { answers }] of threads.entries())
    for (const { author, markdown, score, date } of answers)
      yield [index + 1, author, markdown, ...votes(score), `${date} UTC`];
}

function* tagRows(threads: readonly Thread[], ids: ReadonlyMap<string, number>) {
  for (const [index, { tags, date }] of threads.entries())
    for (const [position, name] of normalizeTags(tags).entries())
      yield [index + 1, ids.get(tagKey(name)) ?? null, position, `${date} UTC`];
}

/** The archive has only a score: stored as up and down counts, and as imported votes. */
function votes(score: number): number[] {
  const counts = [Math.max(0, score), Math.max(0, -score)];
  return [...counts, ...counts];
}
