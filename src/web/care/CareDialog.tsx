import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PostAction } from '#shared/care.ts';
import type { PostRef } from '#web/posts/post.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { actOnPost } from './care.ts';
import { CareForm } from './CareForm.tsx';

/** What an operator does to a post, and why. */
export default function CareDialog({
  post,
  actions,
  flaggedId = null,
  opener,
  onClose,
}: {
  post: PostRef;
  /** What can be done; the first is chosen. */
  actions: readonly PostAction[];
  /** The place in the queue it is done from. */
  flaggedId?: number | null;
  opener?: () => HTMLElement | null;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [action, setAction] = useState<PostAction>(actions[0] ?? 'dismiss');
  const [original, setOriginal] = useState('');

  async function act(reason: string) {
    const duplicateOf = action === 'duplicate' ? numberIn(original) : null;
    await actOnPost(client, { action, kind: post.kind, id: post.id, reason, duplicateOf, flaggedId });
    onClose();
  }

  return (
    <Dialog title={t`Moderate post`} opened onClose={onClose} opener={opener}>
      <CareForm actions={actions} action={action} onAction={setAction} act={act} onCancel={onClose}>
        {action === 'duplicate' && (
          <TextInput
            label={t`Number or address of the question that was asked before`}
            dir="auto"
            value={original}
            onChange={(event) => setOriginal(event.currentTarget.value)}
          />
        )}
      </CareForm>
    </Dialog>
  );
}

/** '12', '/question/12' or a whole address; null for what names no question. */
function numberIn(text: string): number | null {
  const [, number] = /^(?:.*\/question\/)?#?(\d{1,15})(?:[/?#].*)?$/u.exec(text.trim()) ?? [];
  return number === undefined || Number(number) === 0 ? null : Number(number);
}
