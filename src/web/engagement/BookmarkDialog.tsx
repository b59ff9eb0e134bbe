import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bookmarkNote } from '#shared/engagement/bookmarks.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { translateSchemaError } from '#web/core/errors.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { anchorOf } from '#web/posts/index.ts';
import { refreshBookmarks } from './bookmarks.ts';
import { putBookmarkListIds, putBookmarkNote } from './bookmark-lists.ts';
import { BookmarkListPicker } from './BookmarkListPicker.tsx';
import classes from './BookmarkDialog.module.css';

/** Edits the note and the lists of a bookmark. */
export default function BookmarkDialog(props: {
  id: number;
  note: string;
  listIds: readonly number[];
  opened: boolean;
  /** If a message opened it: the post, whose button then gets the focus. */
  post?: PostRef;
  onClose: () => void;
}) {
  const { post } = props;
  const opener =
    post && (() => document.querySelector<HTMLElement>(`#${anchorOf(post)} [data-shortcut-key="b"]`));
  return (
    <Dialog title={t`Note and lists`} opened={props.opened} onClose={props.onClose} opener={opener}>
      <BookmarkForm {...props} />
    </Dialog>
  );
}

function BookmarkForm(props: { id: number; note: string; listIds: readonly number[]; onClose: () => void }) {
  const client = useQueryClient();
  const [note, setNote] = useState(props.note);
  const [listIds, setListIds] = useState<ReadonlySet<number>>(new Set(props.listIds));
  const checked = bookmarkNote.safeParse(note);
  const save = useMutation({
    mutationFn: async (wanted: string) => {
      if (wanted !== props.note) await putBookmarkNote(props.id, wanted);
      // Lists that another device chose meanwhile stay if none was changed here.
      if (listIds.size !== props.listIds.length || props.listIds.some((id) => !listIds.has(id)))
        await putBookmarkListIds(props.id, [...listIds]);
    },
    // A form that is opened again starts with what was saved.
    onSuccess: async () => {
      await refreshBookmarks(client);
      props.onClose();
    },
    // The note may have been saved.
    onError: () => void refreshBookmarks(client),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (checked.success && !save.isPending) save.mutate(checked.data);
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <div>
        <Textarea
          label={t`Note`}
          description={t`Only you can see it.`}
          rows={3}
          dir="auto"
          data-autofocus
          value={note}
          error={!checked.success && translateSchemaError(checked.error)}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <CharacterCounter text={note} max={limits.bookmarkNote} />
      </div>
      <BookmarkListPicker chosen={listIds} onChange={setListIds} />
      <FormError message={save.error?.message ?? null} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={props.onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {t`Save`}
        </Button>
      </div>
    </form>
  );
}
