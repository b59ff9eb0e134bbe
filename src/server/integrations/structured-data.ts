import { renderPostText } from '#server/core/post-html.ts';
import { answerPath, questionPath } from '#shared/posts/question-paths.ts';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';

type Author = { authorId: number | null; authorName: string };
type Answer = QuestionDocument['answers']['items'][number];

/**
 * The question and its first answers as schema.org/QAPage, by the rules of
 * https://developers.google.com/search/docs/appearance/structured-data/qapage. Null without an answer that has text: the
 * rules require one.
 * @param origin of the site
 */
export function buildQaPage({ question, answers }: QuestionDocument, origin: string): object | null {
  const listed = answers.items
    .map((answer) => ({ answer, text: renderPostText(answer.content) }))
    .filter(({ text }) => text !== '')
    .map(({ answer, text }) => ({
      isAccepted: answer.id === question.acceptedAnswerId,
      item: buildAnswer(answer, { text, title: question.title, origin }),
    }));
  if (listed.length === 0) return null;
  const accepted = listed.find(({ isAccepted }) => isAccepted);
  const suggested = listed.filter(({ isAccepted }) => !isAccepted).map(({ item }) => item);
  return {
    '@context': 'https://schema.org',
    '@type': 'QAPage',
    mainEntity: {
      '@type': 'Question',
      name: question.title,
      text: renderPostText(question.content) || question.title,
      url: origin + questionPath(question.id, question.title),
      answerCount: question.answerCount,
      upvoteCount: question.upvotes,
      ...buildTimes(question),
      author: buildPerson(question, origin),
      ...(question.tags.length > 0 && { keywords: question.tags.join(', ') }),
      ...(accepted !== undefined && { acceptedAnswer: accepted.item }),
      ...(suggested.length > 0 && { suggestedAnswer: suggested }),
    },
  };
}

function buildAnswer(answer: Answer, shown: { text: string; title: string; origin: string }): object {
  return {
    '@type': 'Answer',
    text: shown.text,
    url: shown.origin + answerPath(answer, shown.title),
    upvoteCount: answer.upvotes,
    ...buildTimes(answer),
    author: buildPerson(answer, shown.origin),
  };
}

/** A deleted member has a name, but no profile. */
function buildPerson({ authorId, authorName }: Author, origin: string): object {
  return {
    '@type': 'Person',
    name: authorName,
    ...(authorId !== null && { url: `${origin}/profile/${authorId}` }),
  };
}

function buildTimes({ createdAt, editedAt }: { createdAt: string; editedAt: string | null }): object {
  return {
    dateCreated: createdAt,
    datePublished: createdAt,
    ...(editedAt !== null && { dateModified: editedAt }),
  };
}

/**
 * The way to a page as schema.org/BreadcrumbList.
 * @param steps names and paths, from the home page to the page itself
 */
export function buildBreadcrumbs(steps: readonly { name: string; path: string }[], origin: string): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: steps.map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: origin + path,
    })),
  };
}
