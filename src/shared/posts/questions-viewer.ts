import type { QuestionCards, QuestionPageData } from './questions.ts';
import type {
  QuestionCardsDocument,
  QuestionCardsViewer,
  QuestionDocument,
  QuestionViewer,
} from './questions-document.ts';

/** A question's page as its viewer sees it. */
export function combineQuestionPage(document: QuestionDocument, viewer: QuestionViewer): QuestionPageData {
  const { answerVotes, replyVotes, bookmarkedAnswers, visitedAt, ...onQuestion } = viewer;
  const addVotes = ({ items, nextCursor }: QuestionDocument['replies']) => {
    return { items: items.map((reply) => ({ ...reply, myVote: replyVotes[reply.id] ?? null })), nextCursor };
  };
  const answers = document.answers.items.map((answer) => ({
    ...answer,
    myVote: answerVotes[answer.id] ?? null,
    bookmarked: bookmarkedAnswers.includes(answer.id),
    replies: addVotes(answer.replies),
  }));
  return {
    ...document,
    question: { ...document.question, ...onQuestion },
    replies: addVotes(document.replies),
    answers: { ...document.answers, items: answers },
    visitedAt,
  };
}

/** A list of questions with their views. A question that was posted between the two responses has none. */
export function combineQuestionCards(
  { items, nextCursor }: QuestionCardsDocument,
  { views }: QuestionCardsViewer,
): QuestionCards {
  return { items: items.map((card) => ({ ...card, views: views[card.id] ?? 0 })), nextCursor };
}
