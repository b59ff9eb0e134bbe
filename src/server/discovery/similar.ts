import { tagKey } from '#shared/core/text.ts';
import type { Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { toQuestionCard } from '#server/posts/cards.ts';
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

/** Questions shown, while asking and beside a question. */
const maxQuestions = 5;

/** Similar questions whose tags are looked at. */
const maxQuestionsForTags = 10;

const maxTags = 6;

/** Of the score of the very same text; what is less like it shares words by chance (docs/similar-questions.md). */
const minScore = 0.15;

/** Questions and answers that are ranked, at most of each: what a query may cost. */
const maxCandidates = 200;

/** What is like a question that is being typed, and the tags that fit it. */
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

/** The questions most like one that was asked. */
export async function readRelated(db: Reader, id: number): Promise<RelatedQuestionCards> {
  const text = await findQuestionText(db, id);
  if (text === undefined) throw new ProblemError('not-found', 'Question not found');
  const rows = await findSimilar(db, { ...text, except: id, limit: maxQuestions });
  return { items: rows.map(toQuestionCard) };
}

/** Whose following feed a question with these tags would be in, besides the viewer's. */
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
 * The questions most like a text, best first: those that share its rare words, by their title, tags and text and by
 * what their answers say (docs/similar-questions.md).
 * @param wanted.except the question that the text is of, which is most like itself
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
