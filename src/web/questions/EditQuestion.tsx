import { t } from '@lingui/core/macro';
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { draftPlaces } from '#shared/draft-places.ts';
import { limits } from '#shared/limits.ts';
import { askMessages } from '#shared/ask-messages.ts';
import type { Question } from '#shared/questions.ts';
import { parseTags, tagsProblem } from '#shared/tags.ts';
import { askProblem, type AskProblem } from '#web/asking/ask.ts';
import { newIdempotencyKey } from '#web/platform/api.ts';
import { useDraft } from '#web/platform/drafts.ts';
import { said } from '#web/platform/said.ts';
import { ApiError } from '#web/platform/errors.ts';
import { DraftChoice } from '#web/posts/DraftChoice.tsx';
import { EditedSince } from '#web/posts/EditedSince.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { peopleOf } from '#web/posts/people.ts';
import { editQuestion } from '#web/posts/post-api.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { Counter } from '#web/ui/Counter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Editor, type EditorHandle } from '#web/editor/Editor.tsx';
import classes from './EditQuestion.module.css';

/** The author's form for title, details and tags, in place of the text. @param onLeave closes it. */
export function EditQuestion({ question, onLeave }: { question: Question; onLeave: () => void }) {
  const { member, cache } = useQuestionPage();
  const original = {
    title: question.title,
    content: question.content,
    tags: question.tags.join(', '),
    version: question.editedAt,
  };
  const { draft, setDraft, clearDraft, state, choice } = useDraft({
    place: draftPlaces.edit({ kind: 'question', id: question.id }),
    memberId: member.id,
    initial: () => ({ ...original, key: newIdempotencyKey() }),
    isEmpty: ({ title, content, tags }) =>
      title === original.title && content === original.content && tags === original.tags,
  });
  const [problem, setProblem] = useState<AskProblem | null>(null);
  const title = useRef<HTMLInputElement>(null);
  const tagField = useRef<HTMLInputElement>(null);
  const details = useRef<EditorHandle>(null);
  useEffect(() => title.current?.focus(), []);

  const save = useMutation({
    mutationFn: () =>
      editQuestion(
        question.id,
        {
          title: draft.title.trim(),
          content: draft.content.trim(),
          tags: parseTags(draft.tags),
          basedOn: draft.version,
        },
        draft.key,
      ),
    onSuccess: async ({ title, content, excerpt, tags, editedAt }) => {
      clearDraft();
      await cache.change((page) =>
        patchPost(page, { kind: 'question', id: question.id }, { title, content, excerpt, tags, editedAt }),
      );
      cache.refreshLists();
      onLeave();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'edited-meanwhile') void cache.refresh();
      fail(problemOf(error));
    },
  });

  function fail(found: AskProblem | null) {
    setProblem(found);
    if (found?.field === 'title') title.current?.focus();
    if (found?.field === 'content') details.current?.focus();
    if (found?.field === 'tags') tagField.current?.focus();
  }

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (save.isPending) return;
    const found = askProblem(draft);
    fail(found);
    if (found === null) save.mutate();
  }

  const errorOf = (field: AskProblem['field']) => (problem?.field === field ? problem.message : null);
  const tagsWrong = tagsProblem(parseTags(draft.tags));
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <EditedSince
        post={{ kind: 'question', id: question.id }}
        since={save.isPending ? question.editedAt : draft.version}
        editedAt={question.editedAt}
        onDismiss={() => {
          setDraft({ version: question.editedAt });
          setProblem(null);
          details.current?.focus();
        }}
      />
      <DraftChoice choice={choice} draft={draft} onChosen={() => details.current?.focus()} />
      <div>
        <TextInput
          ref={title}
          label={t`Title`}
          dir="auto"
          autoComplete="off"
          value={draft.title}
          error={errorOf('title')}
          onChange={(event) => setDraft({ title: event.currentTarget.value })}
        />
        <Counter text={draft.title} max={limits.title} />
      </div>
      <Editor
        handle={details}
        label={t`Details`}
        value={draft.content}
        onChange={(content) => setDraft({ content })}
        limit={limits.details}
        people={() => peopleOf(cache.read(), member.id)}
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
        error={tagsWrong === null ? errorOf('tags') : said(tagsWrong)}
        onChange={(event) => setDraft({ tags: event.currentTarget.value })}
      />
      <FormError message={errorOf(null)} />
      <div className={classes.buttons}>
        <Button type="submit" size="sm" loading={save.isPending}>
          {t`Save`}
        </Button>
        <Button variant="subtle" color="gray" size="sm" onClick={onLeave}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

/** Null for an ended session: signing in comes next, and the draft stays. */
function problemOf(error: Error): AskProblem | null {
  if (!(error instanceof ApiError))
    return { field: null, message: t`Failed to save question: ${error.message}` };
  if (error.status === 401) return null;
  for (const field of ['title', 'content', 'tags'] as const) {
    const message = error.forField(field);
    if (message !== null) return { field, message };
  }
  return { field: null, message: error.message || said(askMessages.failed) };
}
