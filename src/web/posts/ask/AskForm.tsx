import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { type Me } from '#shared/identity/accounts.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { limits } from '#shared/core/limits.ts';
import { hasVisibleCharacters } from '#shared/core/text.ts';
import { findTagsProblem, parseTags } from '#shared/posts/tags.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { isComposing } from '#web/core/composition.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { useDraft } from '#web/posts/drafts/useDraft.ts';
import { ApiError, translateCodedError } from '#web/core/errors.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { isHeld, showHeldPost } from '#web/posts/held-posts.ts';
import { DraftConflict } from '#web/posts/drafts/DraftConflict.tsx';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { DraftIndicator } from '#web/ui/DraftIndicator.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { RulesNote } from '#web/ui/RulesNote.tsx';
import { Editor, type EditorHandle } from '#web/editor/index.ts';
import { AskChecklist } from './AskChecklist.tsx';
import {
  type AskDraft,
  type AskProblem,
  createAskDraft,
  getUnfinishedTag,
  isEmptyAskDraft,
  usePostQuestion,
  validateAskDraft,
  insertTag,
} from './ask-draft.ts';
import { describeAudience, postedMessage, proposedMessage } from './audience.ts';
import { useShareTarget } from './share-target.ts';
import { SimilarQuestions } from './SimilarQuestions.tsx';
import { useAudience, useSimilarQuestions } from './similar-questions.ts';
import { splitTags } from './tag-proposals.ts';
import { TagNotes } from './TagNotes.tsx';
import { TagSuggestions } from './TagSuggestions.tsx';
import classes from './AskForm.module.css';

/**
 * @param member the owner of the draft, also after the session ends while the form is open.
 * @param signedOut the session has ended: the draft stays, and posting needs a sign-in.
 */
export function AskForm(props: { member: Me; signedOut: boolean; onPosted: (id: number) => void }) {
  const { draft, setDraft, clearDraft, state, choice } = useDraft({
    target: draftTargets.ask,
    memberId: props.member.id,
    initial: createAskDraft,
    isEmpty: isEmptyAskDraft,
  });
  useShareTarget(draft, setDraft);
  const [problem, setProblem] = useState<AskProblem | null>(null);
  const title = useRef<HTMLInputElement>(null);
  const details = useRef<EditorHandle>(null);
  const tagField = useRef<HTMLInputElement>(null);
  const suggestions = useRef<HTMLDivElement>(null);
  const client = useQueryClient();
  const ask = usePostQuestion(props.member.id, {
    onPosted: (posted, sent) => {
      if (isHeld(posted)) return showHeldPost(client);
      const message = proposedMessage(splitTags(sent).proposedTags) ?? postedMessage(audience);
      if (message !== null) toast(message);
    },
    onFailed: (error) => {
      const refused = toAskProblem(error);
      if (title.current === null && refused !== null) toastError(refused.message);
    },
  });
  const tagsError = findTagsProblem(parseTags(draft.tags));
  const similar = useSimilarQuestions(draft).data;
  const audience = useAudience(draft.tags).data;

  function change(change: Partial<Pick<AskDraft, 'title' | 'content' | 'tags' | 'proposals'>>) {
    setDraft(change);
    if (problem?.field != null && problem.field in change) setProblem(null);
  }

  function fail(newProblem: AskProblem) {
    setProblem(newProblem);
    if (newProblem.field === 'title') title.current?.focus();
    if (newProblem.field === 'content') details.current?.focus();
    if (newProblem.field === 'tags') tagField.current?.focus();
  }

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (ask.isPending || props.signedOut) return;
    const invalid = validateAskDraft(draft);
    if (invalid !== null) return fail(invalid);
    setProblem(null);
    ask.mutate(draft, {
      // Only while the form is open. Later, an event of the server clears the draft.
      onSuccess: ({ id }) => {
        clearDraft();
        props.onPosted(id);
      },
      onError: (error) => {
        // An earlier try succeeded although its response was lost, and the text has changed since: this is a new post.
        if (error instanceof ApiError && error.kind === 'key-reused')
          setDraft({ key: createIdempotencyKey() });
        const refused = toAskProblem(error);
        if (refused !== null) fail(refused);
      },
    });
  }

  /** Ctrl+Enter posts, as in the details. Enter alone would post an unfinished question, and does `next` instead. */
  function onEnter(event: KeyboardEvent<HTMLInputElement>, next: () => void) {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    // The event of the form, which is refused while a picture is uploaded.
    if (event.ctrlKey || event.metaKey) event.currentTarget.form?.requestSubmit();
    else next();
  }

  /** Enter ends the tag, as a comma does, and the down arrow moves to the suggestions. */
  function onTagKey(event: KeyboardEvent<HTMLInputElement>) {
    const suggestion = suggestions.current?.getElementsByTagName('button')[0];
    const hasModifier = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey;
    if (
      event.key === 'ArrowDown' &&
      !hasModifier &&
      !isComposing(event.nativeEvent) &&
      suggestion !== undefined
    ) {
      event.preventDefault();
      suggestion.focus();
    }
    onEnter(event, () => {
      const unfinished = getUnfinishedTag(draft.tags);
      if (unfinished !== '') change({ tags: insertTag(draft.tags, unfinished) });
    });
  }

  function addTag(tag: string) {
    change({ tags: insertTag(draft.tags, tag) });
    // The pressed button has been removed.
    tagField.current?.focus();
  }

  // One message for both required fields.
  const isTitleMissing = problem?.field === 'title' && !hasVisibleCharacters(draft.title);
  const errorOf = (field: AskProblem['field']) => (problem?.field === field ? problem.message : null);
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <DraftConflict conflict={choice} draft={draft} onResolved={() => details.current?.focus()} />
      <div>
        <TextInput
          onKeyDown={(event) => onEnter(event, () => details.current?.focus())}
          ref={title}
          label={t`Title`}
          dir="auto"
          autoComplete="off"
          value={draft.title}
          readOnly={ask.isPending}
          error={errorOf('title')}
          onChange={(event) => change({ title: event.currentTarget.value })}
          classNames={{ input: classes.title ?? '' }}
        />
        <CharacterCounter text={draft.title} max={limits.title} />
      </div>
      <SimilarQuestions questions={similar?.questions} />
      <Editor
        handle={details}
        label={t`Details`}
        rows={8}
        limit={limits.details}
        value={draft.content}
        readOnly={ask.isPending}
        error={errorOf('content')}
        invalid={isTitleMissing && !hasVisibleCharacters(draft.content)}
        onChange={(content) => change({ content })}
        onSubmit={submit}
      />
      <TextInput
        onKeyDown={onTagKey}
        ref={tagField}
        label={t`Tags`}
        description={t`Separate tags with commas (max 5)`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="off"
        autoCapitalize="none"
        dir="auto"
        value={draft.tags}
        readOnly={ask.isPending}
        error={tagsError === null ? errorOf('tags') : translateCodedError(tagsError)}
        onChange={(event) => change({ tags: event.currentTarget.value })}
      />
      <TagSuggestions
        ref={suggestions}
        typed={draft.tags}
        fitting={similar?.tags ?? []}
        field={tagField}
        onAdd={addTag}
      />
      <TagNotes
        audience={audience}
        proposals={draft.proposals}
        field={tagField}
        onPropose={(proposals) => change({ proposals })}
      />
      <p className={classes.audience}>{describeAudience(audience)}</p>
      <AskChecklist draft={draft} />
      <RulesNote className={classes.audience} />
      {props.signedOut ? <SignInRequired /> : <FormError message={errorOf(null)} />}
      <div className={classes.footer}>
        <Button type="submit" loading={ask.isPending}>
          {t`Post Question`}
        </Button>
        <DraftIndicator state={state} />
      </div>
    </form>
  );
}

function SignInRequired() {
  return (
    <FormError message={t`Please log in to ask a question`}>
      {'. '}
      <Link href={paths.login + stringifySearch({ next: paths.ask })}>{t`Sign in`}</Link>.{' '}
      {t`Your draft is saved.`}
    </FormError>
  );
}

/** Null for an ended session, for which the form shows its own message. */
function toAskProblem(error: Error): AskProblem | null {
  if (!(error instanceof ApiError))
    return { field: null, message: t`Failed to create question. Please try again.` };
  if (error.kind === 'signed-out') return null;
  if (error.kind === 'key-reused')
    return {
      field: null,
      message: t`An earlier version of this question was posted. Post again to post this version too.`,
    };
  if (error.kind === 'too-many') return { field: null, message: error.message };
  for (const field of ['title', 'content', 'tags'] as const) {
    const message = error.messageForField(field);
    if (message !== null) return { field, message };
  }
  return { field: null, message: t`Failed to create question. Please try again.` };
}
