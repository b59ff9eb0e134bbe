import { zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import { siteSetting } from '#shared/admin/settings.ts';
import { problem } from '#shared/core/problem.ts';
import { memberCard } from '#shared/discovery/search.ts';
import { tagDocument } from '#shared/discovery/tags.ts';
import { bookmark } from '#shared/engagement/bookmarks.ts';
import { ownEmail } from '#shared/identity/account-recovery.ts';
import { me } from '#shared/identity/accounts.ts';
import { profile } from '#shared/identity/profiles.ts';
import { apiToken } from '#shared/integrations/api-tokens.ts';
import { editSuggestion } from '#shared/moderation/edit-suggestions.ts';
import { hiddenPost, moderationLogEntry, reviewItem } from '#shared/moderation/moderation.ts';
import { removal } from '#shared/moderation/removals.ts';
import { notification } from '#shared/notifications/notifications.ts';
import { notificationPreferences } from '#shared/notifications/preferences.ts';
import { answer } from '#shared/posts/answers.ts';
import { answerCard } from '#shared/posts/cards.ts';
import { draftState, draftSummary } from '#shared/posts/drafts.ts';
import { question, questionCard } from '#shared/posts/questions.ts';
import { questionCardDocument, questionDocument } from '#shared/posts/questions-document.ts';
import { reply } from '#shared/posts/replies.ts';
import { revision, revisionEntry } from '#shared/posts/revisions.ts';

const { question: questionText, answers, replies } = questionDocument.shape;

/** The schemas that the OpenAPI document defines once, below `components`. All others stand where they are used. */
const namedSchemas: Readonly<Record<string, z.ZodType>> = {
  Answer: answer,
  AnswerDocument: answers.shape.items.element,
  AnswerCard: answerCard,
  ApiToken: apiToken,
  Bookmark: bookmark,
  DraftState: draftState,
  DraftSummary: draftSummary,
  HiddenPost: hiddenPost,
  MemberCard: memberCard,
  ModerationLogEntry: moderationLogEntry,
  Notification: notification,
  NotificationPreferences: notificationPreferences,
  OwnAccount: me,
  OwnEmail: ownEmail,
  Problem: problem,
  Profile: profile,
  Question: question,
  QuestionCard: questionCard,
  QuestionCardDocument: questionCardDocument,
  QuestionDocument: questionText,
  Removal: removal,
  Reply: reply,
  ReplyDocument: replies.shape.items.element,
  ReviewEntry: reviewItem,
  Revision: revision,
  RevisionEntry: revisionEntry,
  SiteSetting: siteSetting,
  SuggestedEdit: editSuggestion,
  Tag: tagDocument,
};

/**
 * Call it before the routes are described. `schema.openapi(name)` would return a copy, which the routes do not use, and
 * code that browsers share cannot import it.
 */
export function nameSchemas(): void {
  for (const [refId, schema] of Object.entries(namedSchemas))
    zodToOpenAPIRegistry.add(schema, { _internal: { refId } });
}
