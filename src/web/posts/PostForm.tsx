import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { countCodePoints, hasVisibleCharacters } from '#shared/core/text.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { useDraft } from './drafts/useDraft.ts';
import { ApiError, translateError } from '#web/core/errors.ts';
import { visitor } from '#web/core/session.ts';
import { askToSignIn, rememberControl, type SignInReason } from '#web/core/sign-in-prompt.ts';
import { toastError } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { Editor, type EditorHandle } from '#web/editor/index.ts';
import { CannotPostNotice } from './CannotPostNotice.tsx';
import { DraftConflict } from './drafts/DraftConflict.tsx';
import { EditSummaryField } from './EditSummaryField.tsx';
import type { TypedText } from './QuietForms.tsx';
import { EditConflictBanner } from './revisions/EditConflictBanner.tsx';
import { useQuestionPage } from './questions/question-page-context.ts';
import { listMentionableMembers } from './questions/participants.ts';
import type { PostRef } from '#shared/core/fields.ts';
import classes from './PostForm.module.css';

/**
 * `refused`: why the server refused the post, if it was sent in the background.
 * `version`: `editedAt` of the parent or edited post when the draft was begun.
 */
export type PostDraft = {
  content: string;
  key: string;
  refused?: string | null;
  version?: string | null;
  /** What a suggested edit improves. */
  summary?: string | null;
};

type Props = {
  /** The accessible name of the field. */
  label: string;
  hideLabel?: boolean;
  /** The draft target, such as 'answer:12'. */
  draftTarget: string;
  /** The text to edit; '' for a new post. */
  original?: string;
  /**
   * The post that the text responds to or edits. The form shows a notice if it is edited meanwhile, by others or in
   * another tab.
   */
  subject?: { post: PostRef; editedAt: string | null };
  /** The kind of the post that the text responds to or edits, if it was deleted. The text can no longer be posted. */
  deletedPost?: PostRef['kind'] | null;
  limit: number;
  tooLongMessage: string;
  counter?: 'always' | 'near';
  rows?: number;
  /** Small until the member starts to write. */
  quiet?: boolean;
  placeholder?: string;
  focused?: boolean;
  submitLabel: string;
  /** Whether it suggests an edit, which needs a summary. */
  hasSummary?: boolean;
  /** Why a visitor must sign in to post. */
  signIn?: SignInReason;
  /**
   * @param key the idempotency key, the same for every try to post this text (docs/product.md 6.6).
   * @param version `editedAt` of the parent or edited post that the member has seen.
   * @param summary what a suggested edit improves; '' without this field.
   * @returns what closes the form or leaves it. It is not called if the member has typed on meanwhile.
   */
  submit: (
    content: string,
    key: string,
    version: string | null,
    summary: string,
  ) => Promise<(() => void) | undefined>;
  /** The start of the error message: 'Failed to post reply'. */
  failureMessage: string;
  /** The start of the notice for a refused post: "Couldn't post reply". */
  refusedMessage?: string;
  /** Returns once what was typed before the form was loaded. */
  takeTyped?: () => TypedText | null;
  onTyped?: (content: string) => void;
  /** Closes the form. The text stays as a draft. */
  onCancel?: () => void;
};

/** A text field with its draft and the buttons to post or cancel. */
export function PostForm(props: Props) {
  const { original = '', limit, subject, deletedPost = null } = props;
  const { member, cache, isLocked } = useQuestionPage();
  const cannotPost = deletedPost !== null || isLocked;
  const current = subject?.editedAt ?? null;
  const { draft, setDraft, clearDraft, state, choice } = useDraft<PostDraft>({
    target: props.draftTarget,
    memberId: member.id,
    initial: () => ({ content: original, key: createIdempotencyKey(), version: current }),
    isEmpty: ({ content }) => content.trim() === '' || content === original,
  });
  const [error, setError] = useState<string | null>(null);
  const [summaryError, setSummaryError] = useState<string | null>(null);
  const editor = useRef<EditorHandle>(null);
  const summaryField = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const field = () => form.current?.querySelector('textarea') ?? null;
  const { focused = false } = props;
  useEffect(() => {
    if (focused) editor.current?.focus();
  }, [focused]);

  const { takeTyped, onTyped } = props;
  useLayoutEffect(() => {
    const before = takeTyped?.() ?? null;
    if (before === null) return;
    if (!isBlankText(before.text)) {
      const { draftKey: key } = before;
      const content = key === null ? joinTexts(draft.content, before.text) : before.text;
      setDraft({ content, version: current, ...(key !== null && { key }) });
      onTyped?.(content);
    }
    // After React has rendered the text.
    if (before.submits) queueMicrotask(() => form.current?.requestSubmit());
    if (!before.hasFocus) return;
    editor.current?.focus();
    if (before.draftKey !== null || isBlankText(draft.content))
      queueMicrotask(() => editor.current?.focus(before.selection));
  }, [takeTyped, onTyped, draft.content, current, setDraft]);

  const post = useMutation({
    mutationFn: ({ content, key, version, summary }: PostDraft) =>
      props.submit(content.trim(), key, version ?? null, summary?.trim() ?? ''),
    onSuccess: (leave, { content }) => {
      if (draft.content === content) {
        clearDraft();
        editor.current?.collapse();
        leave?.();
      }
      // Text typed while the post was being sent is a new post.
      else setDraft({ key: createIdempotencyKey(), version: current, refused: null });
    },
    onError: (failure) => {
      editor.current?.focus();
      // An earlier try succeeded although its response was lost, and the text has changed since: this is a new post.
      if (failure instanceof ApiError && failure.kind === 'key-reused')
        setDraft({ key: createIdempotencyKey() });
      // The layout leads to the sign-in and back to this field.
      if (failure instanceof ApiError && failure.status === 401) {
        const control = failure.code === 'other-member-signed-in' ? null : field();
        if (control !== null) rememberControl(control);
        return;
      }
      if (failure instanceof ApiError && failure.kind === 'edit-conflict') void cache.refresh();
      toastError(`${props.failureMessage}: ${failure.message}`);
    },
  });
  // The button can be pressed twice before the first press is rendered.
  const isPosting = useRef(false);
  const isBlank = isBlankText(draft.content);
  const submit = () => {
    if (isPosting.current || isBlank || cannotPost) return;
    if (member === visitor) {
      askToSignIn(props.signIn ?? 'act', field() ?? document.body);
      return;
    }
    if (countCodePoints(draft.content.trim()) > limit) {
      setError(props.tooLongMessage);
      editor.current?.focus();
      return;
    }
    if (props.hasSummary === true && (draft.summary ?? '').trim() === '') {
      setSummaryError(translateError('edit-summary-required'));
      summaryField.current?.focus();
      return;
    }
    isPosting.current = true;
    post.mutate(draft, { onSettled: () => (isPosting.current = false) });
  };

  // A form that cannot be closed disappears if it cannot be posted, unless it has text.
  if (cannotPost && isBlank && props.onCancel === undefined) return null;
  return (
    <form
      ref={form}
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
      <CannotPostNotice deletedPost={deletedPost} />
      <DraftConflict conflict={choice} draft={draft} onResolved={() => editor.current?.focus()} />
      {props.hasSummary === true && (
        <EditSummaryField
          field={summaryField}
          value={draft.summary ?? ''}
          error={summaryError}
          onChange={(summary) => {
            setSummaryError(null);
            setDraft({ summary });
          }}
          onLeave={props.onCancel}
        />
      )}
      <Editor
        label={props.label}
        hideLabel={props.hideLabel ?? false}
        value={draft.content}
        readOnly={original !== '' && post.isPending}
        onChange={(content) => {
          setError(null);
          // A new post starts with its first character, so its version is set then. An edit starts with the text that
          // it changes.
          setDraft({ content, ...(original === '' && isBlank && { version: current }) });
          props.onTyped?.(content);
        }}
        limit={limit}
        mentionable={() => listMentionableMembers(cache.read(), member.id)}
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
            <Button type="submit" size="sm" disabled={isBlank || cannotPost} loading={post.isPending}>
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

const isBlankText = (text: string) => !hasVisibleCharacters(text);

const joinTexts = (draft: string, text: string) => (isBlankText(draft) ? text : `${draft}\n\n${text}`);
