import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { codePoints } from '#shared/text.ts';
import { newIdempotencyKey } from '#web/platform/api.ts';
import { useDraft } from '#web/platform/drafts.ts';
import { ApiError } from '#web/platform/errors.ts';
import { toastError } from '#web/platform/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { Editor, type EditorHandle } from '#web/ui/markdown/Editor.tsx';
import { useQuestionPage } from './page-context.ts';
import classes from './PostForm.module.css';

/** `refused`: why the server did not want it, where it had been sent without the member looking on. */
export type Draft = { content: string; key: string; refused?: string };

type Props = {
  /** The accessible name of the field. */
  label: string;
  hideLabel?: boolean;
  /** What the draft is for, e.g. 'answer:12'. */
  place: string;
  /** The text to edit; '' for a post to be written. */
  original?: string;
  limit: number;
  tooLong: string;
  counter?: 'always' | 'near';
  rows?: number;
  placeholder?: string;
  focused?: boolean;
  submitName: string;
  /** @param key the same for every try to post the same text (DECISIONS section 4.3). */
  submit: (content: string, key: string) => Promise<unknown>;
  /** How the message of a failure begins: 'Failed to post reply'. */
  failure: string;
  /** How the note on what came back begins: 'Your reply was not posted'. */
  returned?: string;
  onTyped?: (content: string) => void;
  /** Closes the form; what was typed is kept as a draft. */
  onCancel?: () => void;
};

/** A field for one text, its draft, and the buttons that post it or leave it. */
export function PostForm(props: Props) {
  const { original = '', limit } = props;
  const { member } = useQuestionPage();
  const { draft, setDraft, clearDraft, state } = useDraft<Draft>({
    place: props.place,
    memberId: member.id,
    initial: () => ({ content: original, key: newIdempotencyKey() }),
    isEmpty: ({ content }) => content.trim() === '' || content === original,
  });
  const [error, setError] = useState<string | null>(null);
  const editor = useRef<EditorHandle>(null);
  const { focused = false } = props;
  useEffect(() => {
    if (focused) editor.current?.focus();
  }, [focused]);

  const post = useMutation({
    mutationFn: ({ content, key }: Draft) => props.submit(content.trim(), key),
    onSuccess: clearDraft,
    onError: (failure) => {
      editor.current?.focus();
      // An earlier try got through although its answer got lost, and the text has changed since: this is another post.
      if (failure instanceof ApiError && failure.code === 'key-reused')
        setDraft({ key: newIdempotencyKey() });
      if (failure instanceof ApiError && failure.status === 401) return;
      toastError(`${props.failure}: ${failure.message}`);
    },
  });
  // Two presses can come before the first has been rendered.
  const posting = useRef(false);
  const blank = draft.content.trim() === '';
  const submit = () => {
    if (posting.current || blank) return;
    if (codePoints(draft.content.trim()) > limit) {
      setError(props.tooLong);
      editor.current?.focus();
      return;
    }
    posting.current = true;
    post.mutate(draft, { onSettled: () => (posting.current = false) });
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {typeof draft.refused === 'string' && !blank && (
        <div className={classes.refused}>
          <FormError message={`${props.returned ?? 'Not saved'}: ${draft.refused}`} />
        </div>
      )}
      <Editor
        label={props.label}
        hideLabel={props.hideLabel ?? false}
        value={draft.content}
        onChange={(content) => {
          setError(null);
          setDraft({ content });
          props.onTyped?.(content);
        }}
        limit={limit}
        counter={props.counter ?? 'always'}
        error={error}
        draft={state}
        placeholder={props.placeholder ?? ''}
        rows={props.rows ?? 3}
        onSubmit={submit}
        {...(props.onCancel === undefined ? {} : { onCancel: props.onCancel })}
        handle={editor}
        actions={
          <>
            <Button type="submit" size="sm" disabled={blank} loading={post.isPending}>
              {props.submitName}
            </Button>
            {props.onCancel !== undefined && (
              <Button variant="subtle" color="gray" size="sm" onClick={props.onCancel}>
                Cancel
              </Button>
            )}
          </>
        }
      />
    </form>
  );
}
