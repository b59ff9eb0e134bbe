import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Question } from '#shared/posts/questions.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { Link } from '#web/ui/Link.tsx';
import { questionTitleQuery } from '#web/ui/markdown/question-titles.ts';
import classes from './QuestionStatusBanner.module.css';

// Few questions have it.
const ClosingBanner = lazyComponent(() => import('./ClosingBanner.tsx'));

type ClosedQuestion = Pick<Question, 'duplicateOf' | 'lockReason' | 'closedBy' | 'closing' | 'source'>;

/** The notices of a question: duplicate, closed on the site that it was imported from, and locked. */
export function QuestionStatusBanner({ question }: { question: ClosedQuestion }) {
  // Questions that an earlier version stored for offline reading have no closing.
  const { duplicateOf, lockReason, closedBy, closing, source } = question;
  return (
    <>
      {duplicateOf !== null && <DuplicateBanner key={duplicateOf} id={duplicateOf} closedBy={closedBy} />}
      {closing != null && duplicateOf === null && (
        <Suspense>
          <ClosingBanner closing={closing} site={source?.site}>
            <Closers closedBy={closedBy} />
          </ClosingBanner>
        </Suspense>
      )}
      {lockReason !== null && (
        <p className={classes.note} dir="auto">
          {t`This question is locked: ${lockReason}`}
        </p>
      )}
    </>
  );
}

function DuplicateBanner({ id, closedBy }: { id: number; closedBy: Question['closedBy'] }) {
  const known = useQuery(questionTitleQuery(id)).data ?? undefined;
  const title = known ?? `#${id}`;
  return (
    <p className={classes.note}>
      <Trans>
        This question is a duplicate of <Link href={questionPath(id, known)}>{title}</Link>
      </Trans>
      <Closers closedBy={closedBy} />
    </p>
  );
}

function Closers({ closedBy }: Pick<Question, 'closedBy'>) {
  if (closedBy.length === 0) return null;
  const names = new Intl.ListFormat(i18n.locale).format(closedBy.map(({ name }) => name));
  return (
    <span className={classes.closers} dir="auto">
      {t`Closed by ${names}`}
    </span>
  );
}
