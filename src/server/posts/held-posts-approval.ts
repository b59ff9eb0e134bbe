import type { Tx } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { storeApprovedAnswer } from './answers-posting.ts';
import { deleteHeldPost, type HeldPostRow } from './held-posts-queries.ts';
import { storeQuestion } from './questions.ts';
import { storeReply } from './replies.ts';
import type { TagSettings } from './tag-rules.ts';

/**
 * Posts a held post as its author, now.
 * @param moderator who approves it: the rules for moderators apply to its tags
 * @throws ProblemError as a new post does, for example because its question was deleted or locked meanwhile
 */
export async function postHeldPost(
  tx: Tx,
  wanted: { row: HeldPostRow; moderator: Viewer; publicUrl: string | null; settings: TagSettings },
): Promise<void> {
  const { row, moderator, publicUrl, settings } = wanted;
  await deleteHeldPost(tx, row.id);
  const { title, content, tags, question_id: questionId, answer_id: answerId } = row;
  const viewer: Viewer = { ...moderator, id: row.member_id };
  const posting = { viewer, key: undefined, approvedId: row.post_id, publicUrl, settings };
  if (questionId === null) {
    const proposedTags = row.proposed_tags ?? undefined;
    await storeQuestion(tx, {
      ...posting,
      draft: { title: title ?? '', content, tags: tags ?? [], proposedTags },
    });
  } else if (row.post_kind === 'answer') {
    await storeApprovedAnswer(tx, { ...posting, questionId, draft: { content } });
  } else {
    const draft = { content, parentReplyId: row.parent_reply_id };
    await storeReply(tx, { ...posting, on: { questionId, answerId }, draft });
  }
}
