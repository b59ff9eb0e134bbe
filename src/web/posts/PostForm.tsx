import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { countCodePoints } from '#shared/core/text.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { useDraft } from './drafts/useDraft.ts';
import { ApiError } from '#web/core/errors.ts';
import { toastError } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { Editor, type EditorHandle } from '#web/editor/Editor.tsx';
import { DraftConflict } from './drafts/DraftConflict.tsx';
import { EditConflictBanner } from './revisions/EditConflictBanner.tsx';
import { useQuestionPage } from './questions/question-page-context.ts';
import { listParticipants } from './questions/question-page-data.ts';
import type { PostRef } from './post-ref.ts';
import classes from './PostForm.module.css';

/**
 * `refused`: why the server did not want it, where it had been sent without the member looking on.
 * `version`: when what it answers or edits had last been edited as the draft was begun.
 */
export type PostDraft = { content: string; key: string; refused?: string | null; version?: string | null };

type Props = {
  /** The accessible name of the field. */
  label: string;
  hideLabel?: boolean;
  /** What the draft is for, e.g. 'answer:12'. */
  draftTarget: string;
  /** The text to edit; '' for a post to be written. */
  original?: string;
  /** The post that the text answers or edits: the form tells when others, or another tab, edit it meanwhile. */
  subject?: { post: PostRef; editedAt: string | null };
  limit: number;
  tooLongMessage: string;
  counter?: 'always' | 'near';
  rows?: number;
  /** Small until one begins to write. */
  quiet?: boolean;
  placeholder?: string;
  focused?: boolean;
  submitLabel: string;
  /**
   * @param key the same for every try to post the same text (docs/product.md 6.6).
   * @param version `editedAt` of what the text answers or edits, as the member knows it.
   */
  submit: (content: string, key: string, version: string | null) => Promise<unknown>;
  /** How the message of a failure begins: 'Failed to post reply'. */
  failureMessage: string;
  /** How the note on what came back begins: 'Your reply was not posted'. */
  refusedMessage?: string;
  onTyped?: (content: string) => void;
  /** Closes the form; what was typed is kept as a draft. */
  onCancel?: () => void;
};

/** A field for one text, its draft, and the buttons that post it or leave it. */
export function PostForm(props: Props) {
  const { original = '', limit, subject } = props;
  const { member, cache } = useQuestionPage();
  const current = subject?.editedAt ?? null;
  const { draft, setDraft, clearDraft, state, choice } = useDraft<PostDraft>({
    target: props.draftTarget,
    memberId: member.id,
    initial: () => ({ content: original, key: createIdempotencyKey(), version: current }),
    isEmpty: ({ content }) => content.trim() === '' || content === original,
  });
  const [error, setError] = useState<string | null>(null);
  const editor = useRef<EditorHandle>(null);
  const { focused = false } = props;
  useEffect(() => {
    if (focused) editor.current?.focus();
  }, [focused]);

  const post = useMutation({
    mutationFn: ({ content, key, version }: PostDraft) => props.submit(content.trim(), key, version ?? null),
    onSuccess: (_posted, { content }) => {
      if (draft.content === content) clearDraft();
      // What was typed while that was on its way is another post.
      else setDraft({ key: createIdempotencyKey(), version: current, refused: null });
    },
    onError: (failure) => {
      editor.current?.focus();
      // An earlier try got through although its answer got lost, and the text has changed since: this is another post.
      if (failure instanceof ApiError && failure.code === 'key-reused')
        setDraft({ key: createIdempotencyKey() });
      if (failure instanceof ApiError && failure.status === 401) return;
      if (failure instanceof ApiError && failure.code === 'edited-meanwhile') void cache.refresh();
      toastError(`${props.failureMessage}: ${failure.message}`);
    },
  });
  // Two presses can come before the first has been rendered.
  const isPosting = useRef(false);
  const isBlank = draft.content.trim() === '';
  const submit = () => {
    if (isPosting.current || isBlank) return;
    if (countCodePoints(draft.content.trim()) > limit) {
      setError(props.tooLongMessage);
      editor.current?.focus();
      return;
    }
    isPosting.current = true;
    post.mutate(draft, { onSettled: () => (isPosting.current = false) });
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {typeof draft.refused === 'string' && !isBlank && (
        <div className={classes.refused}>
          <FormError message={`${props.refusedMessage ?? t`Not saved`}: ${draft.refused}`} />
        </div>
      )}
      {subject !== undefined && (
        <EditConflictBanner
          post={subject.post}
          knownEditedAt={post.isPending || (isBlank && original === '') ? current : (draft.version ?? null)}
          editedAt={current}
          onDismiss={() => {
            setDraft({ version: current });
            editor.current?.focus();
          }}
        />
      )}
      <DraftConflict conflict={choice} draft={draft} onResolved={() => editor.current?.focus()} />
      <Editor
        label={props.label}
        hideLabel={props.hideLabel ?? false}
        value={draft.content}
        onChange={(content) => {
          setError(null);
          // A post begins with its first letter; an edit began with the text that it changes.
          setDraft({ content, ...(original === '' && isBlank && { version: current }) });
          props.onTyped?.(content);
        }}
        limit={limit}
        mentionable={() => listParticipants(cache.read(), member.id)}
        counter={props.counter ?? 'always'}
        error={error}
        draft={state}
        placeholder={props.placeholder ?? ''}
        rows={props.rows ?? 3}
        compact={props.quiet ?? false}
        onSubmit={submit}
        {...(props.onCancel === undefined ? {} : { onCancel: props.onCancel })}
        handle={editor}
        actions={
          <>
            <Button type="submit" size="sm" disabled={isBlank} loading={post.isPending}>
              {props.submitLabel}
            </Button>
            {props.onCancel !== undefined && (
              <Button variant="subtle" color="gray" size="sm" onClick={props.onCancel}>
                {t`Cancel`}
              </Button>
            )}
          </>
        }
      />
    </form>
  );
}
