import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PostAction } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { moderatePost } from './moderation.ts';
import { ModerationForm } from './ModerationForm.tsx';
import { parseQuestionNumber } from './question-number.ts';

/** Lets a moderator act on a post and enter a reason. */
export default function ModeratePostDialog({
  post,
  actions,
  queueItemId = null,
  opener,
  onActed,
  onClose,
}: {
  post: PostRef;
  /** The possible actions; the first is selected. */
  actions: readonly PostAction[];
  /** The item of the review queue that it was opened from. */
  queueItemId?: number | null;
  opener?: () => HTMLElement | null;
  /** Is called after an action, before `onClose`. */
  onActed?: () => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [action, setAction] = useState<PostAction>(actions[0] ?? 'dismiss');
  const [original, setOriginal] = useState('');

  async function act(reason: string) {
    const duplicateOf = action === 'duplicate' ? parseQuestionNumber(original) : null;
    await moderatePost(client, { action, kind: post.kind, id: post.id, reason, duplicateOf, queueItemId });
    onActed?.();
    onClose();
  }

  return (
    <Dialog title={t`Moderate post`} opened onClose={onClose} opener={opener}>
      <ModerationForm actions={actions} action={action} onAction={setAction} act={act} onCancel={onClose}>
        {action === 'duplicate' && (
          <TextInput
            label={t`Number or link of the original question`}
            dir="auto"
            value={original}
            onChange={(event) => setOriginal(event.currentTarget.value)}
          />
        )}
      </ModerationForm>
    </Dialog>
  );
}
