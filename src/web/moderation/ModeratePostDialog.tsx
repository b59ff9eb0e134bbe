import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { PostAction, ReviewItem } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { moderatePost } from './moderation.ts';
import { ModerationForm } from './ModerationForm.tsx';
import { NewerVersion } from './NewerVersion.tsx';
import { parseQuestionNumber } from './question-number.ts';

/** Lets a moderator act on a post and enter a reason. */
export default function ModeratePostDialog({
  post,
  actions,
  queueItem,
  refusal = null,
  opener,
  onActed,
  onClose,
}: {
  post: PostRef;
  /** The possible actions; the first is selected. */
  actions: readonly PostAction[];
  /** The item of the review queue that it was opened from, with the text as it is now. */
  queueItem?: ReviewItem;
  /** Why the moderator cannot act now; null if they can. */
  refusal?: string | null;
  opener?: () => HTMLElement | null;
  /** Is called after an action, before `onClose`. */
  onActed?: () => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [action, setAction] = useState<PostAction>(actions[0] ?? 'dismiss');
  const [original, setOriginal] = useState('');
  // The text that the moderator has read: the server refuses a decision about another one.
  const [seen, setSeen] = useState(queueItem);
  const isEdited = queueItem?.editedAt !== seen?.editedAt;
  const form = useRef<HTMLDivElement>(null);

  async function act(reason: string) {
    const duplicateOf = action === 'duplicate' ? parseQuestionNumber(original) : null;
    await moderatePost(client, {
      action,
      kind: post.kind,
      id: post.id,
      reason,
      duplicateOf,
      queueItemId: queueItem?.id ?? null,
      ...(seen !== undefined && { basedOn: seen.editedAt }),
    });
    onActed?.();
    onClose();
  }

  return (
    <Dialog title={t`Moderate post`} opened onClose={onClose} opener={opener}>
      <div ref={form}>
        <ModerationForm
          actions={actions}
          action={action}
          disabled={isEdited}
          refusal={refusal}
          onAction={setAction}
          act={act}
          onCancel={onClose}
        >
          {action === 'duplicate' && (
            <TextInput
              label={t`Number or link of the original question`}
              dir="auto"
              value={original}
              onChange={(event) => setOriginal(event.currentTarget.value)}
            />
          )}
          {isEdited && seen !== undefined && queueItem !== undefined && (
            <NewerVersion
              before={toTexts(seen)}
              after={toTexts(queueItem)}
              onSeen={() => {
                setSeen(queueItem);
                form.current?.querySelector('textarea')?.focus();
              }}
            />
          )}
        </ModerationForm>
      </div>
    </Dialog>
  );
}

const toTexts = ({ kind, title, content }: ReviewItem) => ({
  title: kind === 'question' ? title : null,
  content,
  tags: null,
});
