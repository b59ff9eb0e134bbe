import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef } from 'react';
import type { PostRef } from '#shared/core/fields.ts';
import { QuietField } from '#web/editor/index.ts';
import { answerFormId } from './offline/queued-posts.ts';
import { replyPlaceholder, useCloseReply } from './questions/replying-to.tsx';
import classes from './PostForm.module.css';

/** What was typed into a field that another one replaces. */
export type TypedText = {
  text: string;
  selection: readonly [number, number];
  hasFocus: boolean;
  /** Whether the last key was Ctrl or ⌘ with Enter. */
  submits: boolean;
};

type Props = {
  /** Called when an input method starts and ends to compose a word. */
  onComposing: (isComposing: boolean) => void;
  /** Called when the field is removed. */
  onReplaced: (typed: TypedText) => void;
};

/** Looks like an empty `AnswerForm`, which replaces it when it is loaded. */
export function QuietAnswerForm({ onComposing, onReplaced }: Props) {
  const id = useId();
  const { field, onKeyDown } = useHandedOverField(onReplaced);
  return (
    <div id={answerFormId} className={classes.answerForm}>
      <p className={classes.typing} />
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <QuietField
          id={id}
          label={t`Your answer`}
          placeholder={t`Write your answer …`}
          compact
          rows={1}
          field={field}
          onComposing={onComposing}
          onKeyDown={onKeyDown}
        >
          <Button type="submit" size="sm" disabled>
            {t`Post Answer`}
          </Button>
        </QuietField>
      </form>
    </div>
  );
}

/** Looks like an empty `ReplyForm`, which replaces it when it is loaded and rendered. Takes the focus. */
export function QuietReplyForm({ to, onComposing, onReplaced }: Props & { to: PostRef }) {
  const id = useId();
  const close = useCloseReply(to);
  const { field, onKeyDown } = useHandedOverField(onReplaced, close);
  useEffect(() => field.current?.focus(), [field]);
  return (
    <div className={classes.replyForm}>
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <QuietField
          id={id}
          label={t`Your reply`}
          hideLabel
          placeholder={replyPlaceholder(to)}
          rows={3}
          field={field}
          onComposing={onComposing}
          onKeyDown={onKeyDown}
        >
          <Button type="submit" size="sm" disabled>
            {t`Post Reply`}
          </Button>
          <Button variant="subtle" color="gray" size="sm" onClick={close}>
            {t`Cancel`}
          </Button>
        </QuietField>
      </form>
    </div>
  );
}

/** @param onCancel called for Esc. */
function useHandedOverField(onReplaced: Props['onReplaced'], onCancel?: () => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  const submits = useRef(false);
  useLayoutEffect(() => {
    const element = field.current;
    return () => {
      if (element === null) return;
      onReplaced({
        text: element.value,
        selection: [element.selectionStart, element.selectionEnd],
        hasFocus: document.activeElement === element,
        submits: submits.current,
      });
    };
  }, [onReplaced]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    submits.current = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (submits.current) event.preventDefault();
    if (event.key !== 'Escape' || onCancel === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  };
  return { field, onKeyDown };
}
