// The public file of this area: other areas import from here only.
export { answerRoutes } from './answers-routes.ts';
export { addRestoredAnswers, deleteAnswer, lockAnswerThread, removeAnswer } from './answers.ts';
export {
  answerCardColumns,
  type AnswerCardRow,
  createAnswerExcerpt,
  questionCardColumns,
  questionCardDocumentColumns,
  type QuestionCardDocumentRow,
  type QuestionCardRow,
  toAnswerCard,
  toCardsJson,
  toQuestionCard,
} from './cards.ts';
export { draftRoutes } from './drafts-routes.ts';
export { saveDraft } from './drafts.ts';
export { createExcerpt, toPlainText } from './excerpt.ts';
export { deleteOldKeys } from './idempotency.ts';
export { mentionRoutes } from './mentions-routes.ts';
export {
  buildAcceptanceEvents,
  buildDuplicateEvents,
  buildProfileEvents,
  buildQuestionActivityEvent,
  buildQuestionCountsEvent,
  type QuestionCounts,
} from './posts-events.ts';
export { getLockedError, lockQuestionsOf } from './posts-locks.ts';
export { bylineJoins, isAuthorRename, listAuthorTopics } from './posts.ts';
export { deleteQuestion, removeQuestion } from './questions-deletion.ts';
export { questionRoutes } from './questions-routes.ts';
export {
  addRestoredQuestion,
  lockQuestionIfExists,
  lockQuestionThread,
  requireQuestion,
} from './questions.ts';
export { replyRoutes } from './replies-routes.ts';
export { deleteReply, lockReplyThread, postReply, removeReply } from './replies.ts';
export { addPoints, addPointsOf, selectPoints } from './reputation.ts';
export {
  tagSortKeysFrom,
  writeAnswerScores,
  writeQuestionSortKeys,
  writeSortKeys,
  writeTagSortKeys,
} from './sort-keys.ts';
export {
  addToStatistics,
  appendPointsOf,
  appendStatistics,
  type EarnedPoints,
  selectEarned,
} from './statistics-changes.ts';
export { isTagVisible, listQuestionTagNames, lockTagByName, setQuestionTags, touchTags } from './tags.ts';
export { createWriteLimits, type WriteLimits } from './write-limits.ts';
export { revisionRoutes } from './revisions-routes.ts';
