import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useId, useLayoutEffect, useRef } from 'react';
import { QuietField } from '#web/editor/index.ts';
import { answerFormId } from './offline/queued-posts.ts';
import classes from './PostForm.module.css';

/** What was typed into a field that another one replaces. */
export type TypedText = { text: string; selection: readonly [number, number]; hasFocus: boolean };

/**
 * Looks like an empty `AnswerForm`, which replaces it when it is loaded.
 * @param onComposing called when an input method starts and ends to compose a word.
 * @param onReplaced called when the field is removed.
 */
export function QuietAnswerForm({
  onComposing,
  onReplaced,
}: {
  onComposing: (isComposing: boolean) => void;
  onReplaced: (typed: TypedText) => void;
}) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    return () => {
      if (element === null) return;
      onReplaced({
        text: element.value,
        selection: [element.selectionStart, element.selectionEnd],
        hasFocus: document.activeElement === element,
      });
    };
  }, [onReplaced]);
  return (
    <div id={answerFormId} className={classes.answerForm}>
      <p className={classes.typing} />
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <QuietField
          id={id}
          label={t`Your answer`}
          placeholder={t`Write your answer …`}
          field={field}
          onComposing={onComposing}
        >
          <Button type="submit" size="sm" disabled>
            {t`Post Answer`}
          </Button>
        </QuietField>
      </form>
    </div>
  );
}
