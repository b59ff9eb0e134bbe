import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useLayoutEffect, useRef } from 'react';
import type { PostRef } from '#shared/core/fields.ts';
import { paths } from '#web/core/paths.ts';
import { visitor } from '#web/core/session.ts';
import { keepFieldInView } from '#web/editor/index.ts';
import { PathLink } from '#web/ui/PathLink.tsx';
import { useQuestionPage } from './questions/question-page-context.ts';
import classes from './revisions/EditConflictBanner.module.css';

const deletedMessages = {
  question: () => t`This question was deleted.`,
  answer: () => t`This answer was deleted.`,
  reply: () => t`This reply was deleted.`,
} as const;

/**
 * Says that the post that a text responds to or edits was deleted. The text stays a draft.
 * @param kind of the deleted post; null if it exists
 */
export function DeletedPostNotice({ kind }: { kind: PostRef['kind'] | null }) {
  return <output className={classes.frame}>{kind !== null && <Notice kind={kind} />}</output>;
}

function Notice({ kind }: { kind: PostRef['kind'] }) {
  const { member } = useQuestionPage();
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepFieldInView(note.current), []);
  return (
    <div ref={note} className={classes.note}>
      <span>
        {deletedMessages[kind]()} {/* Drafts of visitors stay in this browser and have no list. */}
        {member !== visitor && (
          <Trans>
            Your text is in <PathLink href={paths.drafts}>Drafts</PathLink>.
          </Trans>
        )}
      </span>
    </div>
  );
}
