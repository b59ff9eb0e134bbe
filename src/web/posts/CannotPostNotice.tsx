import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useLayoutEffect, useRef } from 'react';
import type { PostRef } from '#shared/core/fields.ts';
import { paths } from '#web/core/paths.ts';
import { visitor } from '#web/core/session.ts';
import { keepFieldInView } from '#web/editor/index.ts';
import { Link } from '#web/ui/Link.tsx';
import { useQuestionPage } from './questions/question-page-context.ts';
import classes from './revisions/EditConflictBanner.module.css';

const messages = {
  question: () => t`This question was deleted.`,
  answer: () => t`This answer was deleted.`,
  reply: () => t`This reply was deleted.`,
  suspended: () => t`Your account is suspended.`,
  locked: () => t`This question is locked.`,
} as const;

/**
 * Says why a text can no longer be posted: the post that it responds to or edits was deleted, the question is locked, or
 * the member is suspended. The text stays a draft.
 * @param deletedPost the kind of the deleted post; null if it exists
 */
export function CannotPostNotice({ deletedPost }: { deletedPost: PostRef['kind'] | null }) {
  const { member, isLocked } = useQuestionPage();
  // Cached sessions of older builds lack the field.
  const lock = member.suspended == null ? 'locked' : 'suspended';
  const reason = deletedPost ?? (isLocked ? lock : null);
  return <output className={classes.frame}>{reason !== null && <Notice reason={reason} />}</output>;
}

function Notice({ reason }: { reason: keyof typeof messages }) {
  const { member } = useQuestionPage();
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepFieldInView(note.current), []);
  return (
    <div ref={note} className={classes.note}>
      <span>
        {messages[reason]()} {/* Drafts of visitors stay in this browser and have no list. */}
        {member !== visitor && (
          <Trans>
            Your text is in <Link href={paths.drafts}>Drafts</Link>.
          </Trans>
        )}
      </span>
    </div>
  );
}
