import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { Question } from '#shared/posts/questions.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { PathLink } from '#web/ui/PathLink.tsx';
import { questionTitleQuery } from '#web/ui/markdown/question-titles.ts';
import classes from './moderation.module.css';

/** The moderation notices of a question: duplicate and locked. */
export function QuestionStatusBanner({
  question,
}: {
  question: Pick<Question, 'duplicateOf' | 'lockReason' | 'closedBy'>;
}) {
  const { duplicateOf, lockReason, closedBy } = question;
  return (
    <>
      {duplicateOf !== null && <DuplicateBanner key={duplicateOf} id={duplicateOf} closedBy={closedBy} />}
      {lockReason !== null && (
        <p className={classes.note} dir="auto">
          {t`This question is locked: ${lockReason}`}
        </p>
      )}
    </>
  );
}

function DuplicateBanner({ id, closedBy }: { id: number; closedBy: Question['closedBy'] }) {
  const names = new Intl.ListFormat(i18n.locale).format(closedBy.map(({ name }) => name));
  const known = useQuery(questionTitleQuery(id)).data ?? undefined;
  const title = known ?? `#${id}`;
  return (
    <p className={classes.note}>
      <Trans>
        This question is a duplicate of <PathLink href={questionPath(id, known)}>{title}</PathLink>
      </Trans>
      {closedBy.length > 0 && (
        <span className={classes.closers} dir="auto">
          {t`Closed by ${names}`}
        </span>
      )}
    </p>
  );
}
