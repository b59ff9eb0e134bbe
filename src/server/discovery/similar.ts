import { tagKey } from '#shared/core/text.ts';
import type { Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type {
  Audience,
  PartialQuestion,
  RelatedQuestionCards,
  SimilarResults,
} from '#shared/discovery/similar.ts';
import { tagDescriptions } from '#shared/posts/tag-descriptions.ts';
import { normalizeTags } from '#shared/posts/tags.ts';
import { createRanking, joinAll, quoteLexeme, titleWeight } from './ranking.ts';
import { findRanked } from './ranking-queries.ts';
import { readQuestionCards } from './search-queries.ts';
import { countAudience, countFollowers, findQuestionText, listTags } from './similar-queries.ts';
import { listPossibleTags, rankTags } from './similar-tags.ts';
import { countStems } from './vocabulary-queries.ts';
import { countQuestionsWith } from './vocabulary.ts';

/** Questions listed while typing and next to a question. */
const maxQuestions = 5;

/** Similar questions whose tags are suggested. */
const maxQuestionsForTags = 10;

const maxTags = 6;

/**
 * Questions with all of these most important words come first. Hardly any question has all words of a long text, and
 * PostgreSQL would look up each of them for each question with the rarest.
 */
const maxWordsForAll = 10;

/** Part of the weight of all words that a question must have. Others share words by chance. */
const minShare = 0.04;

/** Returns questions similar to the one being typed, and tags that fit it. */
export async function readSimilar(db: Reader, typed: PartialQuestion): Promise<SimilarResults> {
  const alike = await findSimilar(db, { ...typed, except: null, limit: maxQuestionsForTags });
  const names = listPossibleTags(typed);
  const keys = [...names, ...alike.flatMap(({ card }) => card.tags.map(tagKey))];
  const tags = rankTags(await listTags(db, [...new Set(keys)]), {
    typed,
    names,
    alike: alike.map(({ card, score }) => ({ tags: card.tags, score })),
  });
  return {
    questions: alike.slice(0, maxQuestions).map(({ card }) => card),
    tags: tags.slice(0, maxTags).map(({ name, questionsCount }) => ({ name, questionsCount })),
  };
}

/** Returns the questions most similar to an existing one. */
export async function readRelated(db: Reader, id: number): Promise<RelatedQuestionCards> {
  const text = await findQuestionText(db, id);
  if (text === undefined) throw new ProblemError('question-not-found');
  const rows = await findSimilar(db, { ...text, except: id, limit: maxQuestions });
  return { items: rows.map(({ card }) => card), tags: listDescribedTags(text.descriptions) };
}

/** 'Discussion about …' says nothing. */
function listDescribedTags(tags: readonly { name: string; description: string | null }[]) {
  return tags.flatMap(({ name, description }) => {
    const shown = description ?? tagDescriptions[tagKey(name)];
    return shown === undefined ? [] : [{ name, description: shown }];
  });
}

/** Counts the members other than the viewer whose following feed a question with these tags would be in. */
export async function readAudience(
  db: Reader,
  { tags, viewer }: { tags: readonly string[]; viewer: Viewer },
): Promise<Audience> {
  const wanted = normalizeTags(tags).map((name) => ({ name, key: tagKey(name) }));
  const selection = { keys: wanted.map(({ key }) => key), exceptMember: viewer.id };
  const [members, followers, mainTags] = await Promise.all([
    countAudience(db, selection),
    countFollowers(db, selection),
    listTags(db, selection.keys),
  ]);
  const mainNames = new Map(mainTags.map((tag) => [tag.key, tag.name]));
  return {
    members,
    tags: wanted.map(({ name, key }) => {
      const mainName = mainNames.get(key) ?? name;
      return {
        name,
        followers: followers.get(key) ?? 0,
        synonymOf: tagKey(mainName) === key ? null : mainName,
        isNew: !mainNames.has(key),
      };
    }),
  };
}

/**
 * Returns the questions most similar to a text, best first: they share its rare words in their title, tags and text and
 * in their answers (docs/similar-questions.md).
 * @param wanted.except the question with that text, which is left out
 */
export async function findSimilar(
  db: Reader,
  wanted: { title: string; content: string; tags: readonly string[]; except: number | null; limit: number },
) {
  const { title, content, tags, except, limit } = wanted;
  const stems = await countStems(db, [
    { text: title, weight: titleWeight },
    { text: tags.join(', '), weight: 1 },
    { text: content, weight: 1 },
  ]);
  const { community, counts } = await countQuestionsWith(
    db,
    stems.map(({ stem }) => stem),
  );
  const terms = stems.flatMap(({ stem, uses: used }) => {
    const [questions = 0, match] = [counts.get(stem), quoteLexeme(stem)];
    return questions === 0 ? [] : [{ match, lexemes: match, longer: null, questions, most: questions, used }];
  });
  const ranking = createRanking(terms, community.questions);
  if (ranking === null) return [];
  const { posts } = await findRanked(
    db,
    { ...ranking, all: joinAll(ranking.terms.slice(0, maxWordsForAll).map(({ match }) => match)) },
    {
      table: 'question',
      conditions: [],
      isPlannedOnce: true,
      isIndexed: false,
      hasPopular: community.hasPopular.question,
      withAnswers: true,
      except,
    },
    {
      sort: 'relevance',
      offset: 0,
      limit,
      typed: null,
      enough: Number.MAX_SAFE_INTEGER,
      least: { share: minShare, words: 1 },
    },
  );
  const scores = new Map(posts.map(({ id, score }) => [id, score]));
  const rows = await readQuestionCards(
    db,
    posts.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, score: scores.get(row.id) ?? 0 }));
}
