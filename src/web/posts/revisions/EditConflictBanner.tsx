import { t } from '@lingui/core/macro';
import { useLayoutEffect, useRef, useState } from 'react';
import type { PostRef } from '#shared/core/fields.ts';
import { keepFieldInView } from '#web/editor/index.ts';
import { RevisionsDialog } from './EditedNote.tsx';
import classes from './EditConflictBanner.module.css';

const editedMessages = {
  question: () => t`The question has been edited since you started.`,
  answer: () => t`This answer has been edited since you started.`,
  reply: () => t`This reply has been edited since you started.`,
} as const;

type Props = {
  post: PostRef;
  /**
   * `knownEditedAt` and `editedAt`: the time of the last edit when the text was begun, and now; null for never edited.
   */
  knownEditedAt: string | null;
  editedAt: string | null;
  /** The member has seen the current version. */
  onDismiss: () => void;
};

/** Says that the parent or edited post was changed while the member was writing. */
export function EditConflictBanner({ post, knownEditedAt, editedAt, onDismiss }: Props) {
  // Both times come from the server in one format, so they compare as strings.
  const isVisible = editedAt !== null && (knownEditedAt === null || editedAt > knownEditedAt);
  return (
    <output className={classes.frame}>
      {isVisible && <EditConflictMessage post={post} editedAt={editedAt} onDismiss={onDismiss} />}
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
        {t`Show changes`}
      </button>{' '}
      <button type="button" className={classes.action} onClick={onDismiss}>
        {t`Dismiss`}
      </button>
      <RevisionsDialog post={post} editedAt={editedAt} opened={open} onClose={() => setOpen(false)} />
    </div>
  );
}
