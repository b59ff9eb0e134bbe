import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { type Bookmark, bookmarkNote } from '#shared/engagement/bookmarks.ts';
import { limits } from '#shared/core/limits.ts';
import { isComposing } from '#web/core/composition.ts';
import { useDraft } from '#web/posts/index.ts';
import { translateSchemaError } from '#web/core/errors.ts';
import { useMember } from '#web/core/session.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { updateCachedBookmarks, putBookmarkNote } from './bookmark-lists.ts';
import classes from './BookmarkCard.module.css';

/** Edits a note in place. Typed text survives a reload. */
export function BookmarkNoteForm({ bookmark, onLeave }: { bookmark: Bookmark; onLeave: () => void }) {
  const { id, note } = bookmark;
  const client = useQueryClient();
  const memberId = useMember()?.id ?? 0;
  const [problem, setProblem] = useState<string | null>(null);
  const { draft, setDraft, clearDraft } = useDraft({
    target: `bookmark-note:${id}`,
    memberId,
    initial: () => ({ text: note }),
    isEmpty: ({ text }) => text === note,
  });
  const save = useMutation({
    mutationFn: (text: string) => putBookmarkNote(id, text),
    onSuccess: ({ note }) => {
      clearDraft();
      updateCachedBookmarks(client, (each) => (each.id === id ? { ...each, note } : each));
      onLeave();
    },
    onError: (error) => setProblem(t`The note could not be saved: ${error.message}`),
  });

  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault();
    const checked = bookmarkNote.safeParse(draft.text);
    if (!checked.success) return setProblem(translateSchemaError(checked.error));
    setProblem(null);
    if (!save.isPending) save.mutate(checked.data);
  }

  function cancel() {
    clearDraft();
    onLeave();
  }

  return (
    <form className={classes.noteForm} noValidate onSubmit={submit}>
      <Textarea
        label={t`Note`}
        description={t`Only you can see it.`}
        rows={3}
        dir="auto"
        ref={takeFocus}
        value={draft.text}
        error={problem}
        onChange={(event) => setDraft({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          // Esc and Enter also end the input of a character. What is typed stays as a draft.
          if (isComposing(event.nativeEvent)) return;
          if (event.key === 'Escape') onLeave();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
        }}
      />
      <CharacterCounter text={draft.text} max={limits.bookmarkNote} />
      <div className={classes.noteButtons}>
        <Button type="submit" size="sm" loading={save.isPending}>
          {t`Save`}
        </Button>
        <Button size="sm" variant="default" onClick={cancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

/** The member pressed the button to type here. */
const takeFocus = (field: HTMLTextAreaElement | null) => field?.focus();
