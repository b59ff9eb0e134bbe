import { t } from '@lingui/core/macro';
import { useLayoutEffect, useRef, useState } from 'react';
import type { PostRef } from '#web/posts/post-ref.ts';
import { keepFieldInView } from '#web/posts/keep-field-in-view.ts';
import { RevisionsDialog } from './Revisions.tsx';
import classes from './EditConflictBanner.module.css';

const editedMessages = {
  question: () => t`The question was edited since you began.`,
  answer: () => t`This answer was edited since you began.`,
  reply: () => t`This reply was edited since you began.`,
} as const;

type Props = {
  post: PostRef;
  /** The times of the last edit, when the text was begun and now; null for never. */
  knownEditedAt: string | null;
  editedAt: string | null;
  /** What is there now is taken as known. */
  onDismiss: () => void;
};

/** Tells who writes about a post, or edits it, that it is no longer what it was. */
export function EditConflictBanner({ post, knownEditedAt, editedAt, onDismiss }: Props) {
  // Both are the server's, in the one form that sorts by time.
  const shown = editedAt !== null && (knownEditedAt === null || editedAt > knownEditedAt);
  return (
    <output className={classes.frame}>
      {shown && <EditConflictMessage post={post} editedAt={editedAt} onDismiss={onDismiss} />}
    </output>
  );
}

function EditConflictMessage({
  post,
  editedAt,
  onDismiss,
}: Omit<Props, 'knownEditedAt'> & { editedAt: string }) {
  const [open, setOpen] = useState(false);
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepFieldInView(note.current), []);
  return (
    <div ref={note} className={classes.note}>
      <span>{editedMessages[post.kind]()}</span>{' '}
      <button type="button" className={classes.action} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t`Show the changes`}
      </button>{' '}
      <button type="button" className={classes.action} onClick={onDismiss}>
        {t`Dismiss`}
      </button>
      <RevisionsDialog post={post} editedAt={editedAt} opened={open} onClose={() => setOpen(false)} />
    </div>
  );
}
