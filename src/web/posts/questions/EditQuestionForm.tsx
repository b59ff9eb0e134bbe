import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { limits } from '#shared/core/limits.ts';
import type { Question } from '#shared/posts/questions.ts';
import { findTagsProblem, parseTags } from '#shared/posts/tags.ts';
import { type AskProblem, validateAskDraft } from '#web/posts/ask/ask-draft.ts';
import { proposedMessage } from '#web/posts/ask/audience.ts';
import { useAudience } from '#web/posts/ask/similar-questions.ts';
import { splitTags } from '#web/posts/ask/tag-proposals.ts';
import { TagNotes } from '#web/posts/ask/TagNotes.tsx';
import { createIdempotencyKey } from '#web/core/api.ts';
import { onEscape } from '#web/core/composition.ts';
import { useDraft } from '#web/posts/drafts/useDraft.ts';
import { ApiError, translateCodedError, translateError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { CannotPostNotice } from '#web/posts/CannotPostNotice.tsx';
import { anchorOf } from '#web/posts/post-ref.ts';
import { DraftConflict } from '#web/posts/drafts/DraftConflict.tsx';
import { EditConflictBanner } from '#web/posts/revisions/EditConflictBanner.tsx';
import { useQuestionPage } from './question-page-context.ts';
import { listMentionableMembers } from './participants.ts';
import { patchPost } from './question-page-data.ts';
import { editQuestion, suggestQuestionEdit } from '#web/posts/edit-api.ts';
import { EditSummaryField } from '#web/posts/EditSummaryField.tsx';
import { toastSuggested } from '#web/posts/suggested-edits.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Editor, type EditorHandle } from '#web/editor/index.ts';
import classes from '#web/posts/PostForm.module.css';

/**
 * The form for title, details and tags, shown instead of the text.
 * @param suggesting whether the question belongs to another member, who has to approve the edit.
 * @param onLeave closes it.
 */
export function EditQuestionForm({
  question,
  suggesting = false,
  onLeave,
}: {
  question: Question;
  suggesting?: boolean;
  onLeave: () => void;
}) {
  const { member, cache, isLocked, deletedPosts } = useQuestionPage();
  const isDeleted = deletedPosts.has(anchorOf({ kind: 'question', id: question.id }));
  const cannotPost = isDeleted || isLocked;
  const original = {
    title: question.title,
    content: question.content,
    tags: question.tags.join(', '),
    version: question.editedAt,
  };
  const { draft, setDraft, clearDraft, state, choice } = useDraft({
    target: draftTargets.edit({ kind: 'question', id: question.id }),
    memberId: member.id,
    initial: () => ({ ...original, proposals: '', summary: '', key: createIdempotencyKey() }),
    isEmpty: ({ title, content, tags }) =>
      title === original.title && content === original.content && tags === original.tags,
  });
  const audience = useAudience(draft.tags).data;
  const [problem, setProblem] = useState<AskProblem | null>(null);
  const [summaryError, setSummaryError] = useState<string | null>(null);
  const title = useRef<HTMLInputElement>(null);
  const tagField = useRef<HTMLInputElement>(null);
  const summaryField = useRef<HTMLInputElement>(null);
  const details = useRef<EditorHandle>(null);
  useEffect(() => title.current?.focus(), []);

  const save = useMutation({
    mutationFn: async () => {
      const edit = {
        title: draft.title.trim(),
        content: draft.content.trim(),
        tags: parseTags(draft.tags),
        basedOn: draft.version,
      };
      const origin = { key: draft.key, memberId: member.id };
      if (!suggesting) return editQuestion(question.id, { ...edit, ...splitTags(draft) }, origin);
      toastSuggested(
        await suggestQuestionEdit(question.id, { ...edit, summary: draft.summary.trim() }, origin),
      );
      return null;
    },
    onSuccess: async (saved) => {
      const proposed = suggesting ? null : proposedMessage(splitTags(draft).proposedTags);
      if (proposed !== null) toast(proposed);
      clearDraft();
      if (saved === null) {
        void cache.refresh();
        return onLeave();
      }
      const { title, content, excerpt, tags, editedAt } = saved;
      await cache.update((page) =>
        patchPost(page, { kind: 'question', id: question.id }, { title, content, excerpt, tags, editedAt }),
      );
      cache.refreshLists();
      return onLeave();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.kind === 'edit-conflict') void cache.refresh();
      fail(toAskProblem(error));
    },
  });

  function fail(newProblem: AskProblem | null) {
    setProblem(newProblem);
    if (newProblem?.field === 'title') title.current?.focus();
    if (newProblem?.field === 'content') details.current?.focus();
    if (newProblem?.field === 'tags') tagField.current?.focus();
  }

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (save.isPending || cannotPost) return;
    const invalid = validateAskDraft(draft);
    fail(invalid);
    if (invalid !== null) return;
    if (suggesting && draft.summary.trim() === '') {
      setSummaryError(translateError('edit-summary-required'));
      summaryField.current?.focus();
    } else save.mutate();
  }

  const errorOf = (field: AskProblem['field']) => (problem?.field === field ? problem.message : null);
  const tagsError = findTagsProblem(parseTags(draft.tags));
  return (
    <form className={classes.questionForm} noValidate onSubmit={submit}>
      <EditConflictBanner
        post={{ kind: 'question', id: question.id }}
        knownEditedAt={save.isPending ? question.editedAt : draft.version}
        editedAt={question.editedAt}
        onDismiss={() => {
          setDraft({ version: question.editedAt });
          setProblem(null);
          details.current?.focus();
        }}
      />
      <CannotPostNotice deletedPost={isDeleted ? 'question' : null} />
      <DraftConflict conflict={choice} draft={draft} onResolved={() => details.current?.focus()} />
      {suggesting && (
        <EditSummaryField
          field={summaryField}
          value={draft.summary}
          error={summaryError}
          onChange={(summary) => {
            setSummaryError(null);
            setDraft({ summary });
          }}
          onLeave={onLeave}
        />
      )}
      <div>
        <TextInput
          ref={title}
          label={t`Title`}
          dir="auto"
          autoComplete="off"
          value={draft.title}
          readOnly={save.isPending}
          error={errorOf('title')}
          onChange={(event) => setDraft({ title: event.currentTarget.value })}
          onKeyDown={onEscape(onLeave)}
        />
        <CharacterCounter text={draft.title} max={limits.title} />
      </div>
      <Editor
        handle={details}
        label={t`Details`}
        value={draft.content}
        readOnly={save.isPending}
        onChange={(content) => setDraft({ content })}
        limit={limits.details}
        mentionable={() => listMentionableMembers(cache.read(), member.id)}
        error={errorOf('content')}
        draft={state}
        rows={8}
        onSubmit={submit}
        onCancel={onLeave}
      />
      <TextInput
        ref={tagField}
        label={t`Tags`}
        description={t`Separate tags with commas (max ${limits.tagsPerQuestion})`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="off"
        autoCapitalize="none"
        dir="auto"
        value={draft.tags}
        readOnly={save.isPending}
        error={tagsError === null ? errorOf('tags') : translateCodedError(tagsError)}
        onChange={(event) => setDraft({ tags: event.currentTarget.value })}
        onKeyDown={onEscape(onLeave)}
      />
      <TagNotes
        audience={audience}
        proposals={draft.proposals}
        field={tagField}
        {...(!suggesting && { onPropose: (proposals: string) => setDraft({ proposals }) })}
      />
      <FormError message={errorOf(null)} />
      <div className={classes.buttons}>
        <Button type="submit" size="sm" disabled={cannotPost} loading={save.isPending}>
          {suggesting ? t`Suggest edit` : t`Save`}
        </Button>
        <Button variant="subtle" color="gray" size="sm" onClick={onLeave}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

/** Null for an ended session: the sign-in follows, and the draft stays. */
function toAskProblem(error: Error): AskProblem | null {
  if (!(error instanceof ApiError))
    return { field: null, message: t`Failed to save question: ${error.message}` };
  if (error.status === 401) return null;
  for (const field of ['title', 'content', 'tags'] as const) {
    const message = error.messageForField(field);
    if (message !== null) return { field, message };
  }
  return { field: null, message: error.message || t`Failed to create question. Please try again.` };
}
