import { tagKey } from '#shared/core/text.ts';
import type { Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { toQuestionCard } from '#server/posts/index.ts';
import type {
  Audience,
  PartialQuestion,
  RelatedQuestionCards,
  SimilarResults,
} from '#shared/discovery/similar.ts';
import { normalizeTags } from '#shared/posts/tags.ts';
import {
  countAudience,
  countFollowers,
  countWords,
  findMostSimilar,
  findQuestionText,
  listTags,
  type SimilarRow,
} from './similar-queries.ts';
import { listPossibleTags, rankTags } from './similar-tags.ts';
import { buildSimilarityQuery } from './similar-weights.ts';

/** Questions listed while typing and next to a question. */
const maxQuestions = 5;

/** Similar questions whose tags are suggested. */
const maxQuestionsForTags = 10;

const maxTags = 6;

/**
 * Minimum score relative to the same text. Less similar questions share words by chance (docs/similar-questions.md).
 */
const minScore = 0.15;

/** Questions, and answers, that are ranked at most. This bounds the cost of a query. */
const maxCandidates = 200;

/** Returns questions similar to the one being typed, and tags that fit it. */
export async function readSimilar(db: Reader, typed: PartialQuestion): Promise<SimilarResults> {
  const alike = await findSimilar(db, { ...typed, except: null, limit: maxQuestionsForTags });
  const names = listPossibleTags(typed);
  const keys = [...names, ...alike.flatMap(({ tags }) => tags.map(tagKey))];
  const tags = rankTags(await listTags(db, [...new Set(keys)]), { typed, names, alike });
  return {
    questions: alike.slice(0, maxQuestions).map(toQuestionCard),
    tags: tags.slice(0, maxTags).map(({ name, questionsCount }) => ({ name, questionsCount })),
  };
}

/** Returns the questions most similar to an existing one. */
export async function readRelated(db: Reader, id: number): Promise<RelatedQuestionCards> {
  const text = await findQuestionText(db, id);
  if (text === undefined) throw new ProblemError('question-not-found');
  const rows = await findSimilar(db, { ...text, except: id, limit: maxQuestions });
  return { items: rows.map(toQuestionCard) };
}

/** Counts the members other than the viewer whose following feed a question with these tags would be in. */
export async function readAudience(
  db: Reader,
  { tags, viewer }: { tags: readonly string[]; viewer: Viewer },
): Promise<Audience> {
  const wanted = normalizeTags(tags).map((name) => ({ name, key: tagKey(name) }));
  const selection = { keys: wanted.map(({ key }) => key), exceptMember: viewer.id };
  const [members, followers] = await Promise.all([
    countAudience(db, selection),
    countFollowers(db, selection),
  ]);
  return {
    members,
    tags: wanted.map(({ name, key }) => ({ name, followers: followers.get(key) ?? 0 })),
  };
}

/**
 * Returns the questions most similar to a text, best first. They share its rare words in their title, tags and text and
 * in their answers (docs/similar-questions.md).
 * @param wanted.except the question with that text, which is left out
 */
export async function findSimilar(
  db: Reader,
  wanted: { title: string; content: string; tags: readonly string[]; except: number | null; limit: number },
): Promise<SimilarRow[]> {
  const { title, content, tags, except, limit } = wanted;
  const text = { title, content, tags: tags.join(', ') };
  const { words, total } = await countWords(db, text);
  const compared = buildSimilarityQuery(words, total);
  if (compared === null) return [];
  const rows = await findMostSimilar(db, {
    ...compared,
    text,
    except,
    candidatesAtMost: maxCandidates,
    limit,
  });
  return rows.filter(({ score }) => score >= minScore);
}
