import { plural, t } from '@lingui/core/macro';
import { Suspense, useEffect, useId, useRef, useState } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import type { QuestionCard } from '#shared/posts/questions.ts';
import page from '#web/ui/page.module.css';
import { Count } from '#web/ui/Count.tsx';
import classes from './SimilarQuestions.module.css';

const SimilarQuestionPreview = lazyComponent(() => import('./SimilarQuestionPreview.tsx'));

/**
 * Questions similar to the one being typed. Its space is reserved, so nothing below moves when they appear.
 * @param questions undefined before the first search.
 */
export function SimilarQuestions({ questions }: { questions: readonly QuestionCard[] | undefined }) {
  const titleId = useId();
  const [opened, setOpened] = useState<number | null>(null);
  const [previewedId, setPreviewedId] = useState<number | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  // The dialog is loaded when it is first opened, too late to remember the focused element itself.
  useEffect(() => {
    if (opened === null) opener.current?.focus();
  }, [opened]);
  const items = questions ?? [];
  return (
    <section className={`${classes.similar} ${page.sideColumn}`} aria-labelledby={titleId}>
      <h2 id={titleId} className={classes.heading}>
        {t`Similar questions`}
      </h2>
      <p className={classes.announced} aria-live="polite">
        {questions !== undefined &&
          plural(items.length, {
            0: 'No similar questions',
            one: '# similar question',
            other: '# similar questions',
          })}
      </p>
      {items.length === 0 && (
        <p className={classes.hint}>
          {questions === undefined
            ? t`Similar questions appear here as you type. One of them may have your answer.`
            : t`No similar questions found.`}
        </p>
      )}
      {items.length > 0 && (
        <ul className={classes.list}>
          {items.map((question) => (
            <li key={question.id}>
              <button
                type="button"
                className={classes.question}
                aria-haspopup="dialog"
                onClick={(event) => {
                  opener.current = event.currentTarget;
                  setPreviewedId(question.id);
                  setOpened(question.id);
                }}
              >
                <span className={classes.title} dir="auto">
                  {question.title}
                </span>
                <span className={classes.counts}>
                  <Count of={question.answerCount} singular="answer" />
                  {question.solved && <span className={classes.solved}>{t`solved`}</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {previewedId !== null && (
        <Suspense fallback={null}>
          <SimilarQuestionPreview id={previewedId} opened={opened !== null} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </section>
  );
}
