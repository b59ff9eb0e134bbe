// The public file of this area: other areas import from here only.
export { answerRoutes, publicAnswerRoutes } from './answers-routes.ts';
export { deleteAnswer } from './answers.ts';
export { moveNextThread } from './authors-moving.ts';
export {
  answerCardColumns,
  answerStartLength,
  type AnswerCardRow,
  createAnswerExcerpt,
  questionCardColumns,
  tagNamesOf,
  questionTagNames,
  questionCardDocumentColumns,
  type QuestionCardDocumentRow,
  type QuestionCardRow,
  toAnswerCard,
  toCardsJson,
} from './cards.ts';
export { draftRoutes } from './drafts-routes.ts';
export { endDraft, saveDraft } from './drafts.ts';
export { createEventTexts } from './event-texts.ts';
export { createExcerpt, toPlainText } from './excerpt.ts';
export { postHeldPost } from './held-posts-approval.ts';
export {
  deleteOldRejectedPosts,
  deleteOwnHeldPost,
  heldPostColumns,
  ownHeldPostColumns,
  type HeldPostRow,
  type LockedHeldPost,
  lockHeldPost,
  rejectHeldPosts,
  setHeldPostRejected,
} from './held-posts-queries.ts';
export { deleteOldKeys } from './idempotency.ts';
export { mentionRoutes } from './mentions-routes.ts';
export {
  buildAcceptanceEvents,
  buildDuplicateEvents,
  buildProfileEvents,
  buildQuestionCountsEvent,
} from './posts-events.ts';
export {
  areTextsEqual,
  type EditablePost,
  type EditedTexts,
  editPost,
  lockEditablePost,
  refuseTexts,
} from './post-edits.ts';
export {
  type AffectedPost,
  changeAuthorCounts,
  deleteHiddenPost,
  hiddenPostTexts,
  messageTitle,
  ownHiddenPostTexts,
  lockHiddenPost,
} from './post-removal-queries.ts';
export { purgePost, purgePostsOf, removePost, showPost } from './post-removal.ts';
export { deletePosts } from './posts-deletion.ts';
export { getLockedError, lockMember, lockQuestionsOf, refuseLocked } from './posts-locks.ts';
export { bylineJoins, getSourceAddress, isAuthorRename, listAuthorTopics, sourceJson } from './posts.ts';
export { siteHistoryJson } from './site-history.ts';
export { secondsLeftOfDay } from './tag-proposals-queries.ts';
export {
  closingJson,
  findQuestionOf,
  isQuestionDeleted,
  lockExistingQuestions,
  questionExists,
} from './questions-queries.ts';
export { publicQuestionRoutes, questionRoutes } from './questions-routes.ts';
export {
  deleteQuestion,
  lockQuestionIfExists,
  lockQuestionThread,
  readQuestionTitles,
  requireQuestion,
} from './questions.ts';
export { publicReplyRoutes, replyRoutes } from './replies-routes.ts';
export { deleteReply, postReply } from './replies.ts';
export {
  changeReviewQueue,
  enterReviewQueue,
  findReviewReasons,
  joinTexts,
  leaveReviewQueue,
} from './review-items.ts';
export { isPresentVersion, refuseStaleEdit } from './revisions.ts';
export {
  estimateSpam,
  listSpamFeatures,
  maxEarlierPosts,
  minLearnedPosts,
  type FeatureCounts,
  totalsFeature,
} from './spam-classifier.ts';
export { judgePost } from './spam-rules.ts';
export {
  estimatePosts,
  forgetSpam,
  learnSpam,
  maxLearnedFeatures,
  ordinaryPostsPerSpam,
  readSpamFeatures,
  trimSpamTraining,
} from './spam-training.ts';
export { addPointsOf, selectPoints } from './reputation.ts';
export {
  latestActivity,
  tagSortKeysFrom,
  writeAnswerScores,
  writeQuestionSortKeys,
  writeTagSortKeys,
} from './sort-keys.ts';
export {
  appendPointsOf,
  appendStatistics,
  type EarnedPoints,
  markStaleDays,
  selectEarned,
} from './statistics-changes.ts';
export { closeOutdatedProposals } from './tag-proposals-closing.ts';
export { applyTagProposals } from './tag-proposals.ts';
export { listUsableTags, mayCreateTags, refuseNewTag, type TagSettings } from './tag-rules.ts';
export { moveSomeQuestions, renameOnSomeQuestions } from './tags-moving.ts';
export { lockTags, tagIdOf } from './tags-queries.ts';
export { isTagVisible, selectVisibleTags } from './tag-visibility.ts';
export { lockTagByName, tagTextSourceJson } from './tags.ts';
export { releaseUploadsOf } from './uploads-queries.ts';
export { encodePicture, hasPictureSignature } from './uploads-encoding.ts';
export { readPicture, serveUploads, uploadRoutes, uploadsPath } from './uploads-routes.ts';
export {
  createObjectStoreJob,
  findBucketOwner,
  type ObjectStoreDeps,
  ownerKey,
  probeObjectStore,
  readFileContent,
} from './uploads-object-store.ts';
export { countUploadFiles } from './uploads-object-store-queries.ts';
export {
  cleanUpUploads,
  readLargestFile,
  removeAvatarOf,
  saveUploadReferences,
  storeImportedPicture,
} from './uploads.ts';
export { createWriteLimits, type WriteLimits } from './write-limits.ts';
export { revisionRoutes } from './revisions-routes.ts';
