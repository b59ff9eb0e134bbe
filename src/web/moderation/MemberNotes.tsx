import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { maxNoteLength, type MemberNote } from '#shared/moderation/member-page.ts';
import { toastError } from '#web/core/toast.ts';
import { Author } from '#web/posts/index.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Time } from '#web/ui/Time.tsx';
import { addNote, editNote, memberNotesQuery, setNoteDeleted } from './member-page.ts';
import classes from './moderation.module.css';

/** The notes of moderators on a member, who does not see them. */
export function MemberNotes({ id, viewerId }: { id: number; viewerId: number }) {
  const client = useQueryClient();
  const query = useInfiniteQuery(memberNotesQuery(id));
  // Notes that were deleted on this page can be restored while it is open.
  const [deleted, setDeleted] = useState<readonly MemberNote[]>([]);
  return (
    <>
      <p className={`${classes.quiet} ${classes.introduction}`}>
        {t`Only moderators see notes. Write what you could justify to the member.`}
      </p>
      <NoteForm label={t`Note`} submit={t`Add note`} initial="" save={(text) => addNote(client, id, text)} />
      <ul
        className={`${classes.list} ${classes.apart}`}
        aria-label={t`Deleted notes`}
        hidden={deleted.length === 0}
      >
        {deleted.map((note) => (
          <DeletedNote
            key={note.id}
            note={note}
            onRestored={() => setDeleted((notes) => notes.filter((each) => each.id !== note.id))}
          />
        ))}
      </ul>
      <PagedList query={query} noun="results" keyOf={(note) => note.id} pending={null} empty={null}>
        {(notes) => (
          <ul className={`${classes.list} ${classes.apart}`} aria-label={t`Notes`}>
            {notes
              .filter(({ id }) => !deleted.some((note) => note.id === id))
              .map((note) => (
                <NoteItem
                  key={note.id}
                  note={note}
                  isOwn={note.authorId === viewerId}
                  onDeleted={() => setDeleted((all) => [...all.filter((each) => each.id !== note.id), note])}
                />
              ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function NoteItem({ note, isOwn, onDeleted }: { note: MemberNote; isOwn: boolean; onDeleted: () => void }) {
  const client = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  // What was saved is shown until the list has been read again.
  const [saved, setSaved] = useState({ over: note.text, text: note.text });
  const text = saved.over === note.text ? saved.text : note.text;
  const remove = useMutation({
    mutationFn: () => setNoteDeleted(client, note.id, true),
    onSuccess: onDeleted,
    onError: (error) => toastError(error.message),
  });
  return (
    <li className={classes.card} tabIndex={-1} data-shortcut-stop>
      <div className={classes.head}>
        <Author id={note.authorId} name={note.authorName} />
        <Time at={note.createdAt} />
        {note.editedAt !== null && (
          <span className={classes.quiet}>
            {t`edited`} <Time at={note.editedAt} />
          </span>
        )}
      </div>
      {isEditing ? (
        <NoteForm
          label={t`Note`}
          submit={t`Save`}
          initial={text}
          save={async (typed) => {
            await editNote(client, note.id, typed);
            setSaved({ over: note.text, text: typed });
            setIsEditing(false);
          }}
          onCancel={() => setIsEditing(false)}
        />
      ) : (
        <Markdown text={text} headingLevel={3} />
      )}
      {isOwn && !isEditing && (
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => setIsEditing(true)}>{t`Edit`}</Button>
          <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t`Delete`}
          </Button>
        </div>
      )}
    </li>
  );
}

function DeletedNote({ note, onRestored }: { note: MemberNote; onRestored: () => void }) {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () => setNoteDeleted(client, note.id, false),
    onSuccess: onRestored,
    onError: (error) => toastError(error.message),
  });
  return (
    <li className={classes.head}>
      <span className={classes.quiet}>
        {t`Deleted note of`} <Time at={note.createdAt} />
      </span>
      <Button variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
        {t`Undo`}
      </Button>
    </li>
  );
}

function NoteForm({
  label,
  submit,
  initial,
  save,
  onCancel,
}: {
  label: string;
  submit: string;
  initial: string;
  save: (text: string) => Promise<void>;
  onCancel?: () => void;
}) {
  const [text, setText] = useState(initial);
  const saving = useMutation({ mutationFn: () => save(text), onSuccess: () => setText('') });

  function handleSubmit(event: FormEvent) {
    event.preventDefault();
    if (!saving.isPending) saving.mutate();
  }

  return (
    <form className={classes.form} noValidate onSubmit={handleSubmit}>
      <div>
        <Textarea
          label={label}
          description={t`Markdown works.`}
          rows={3}
          dir="auto"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <CharacterCounter text={text} max={maxNoteLength} />
      </div>
      <FormError message={saving.error === null ? null : saving.error.message} />
      <div className={classes.buttons}>
        <Button type="submit" loading={saving.isPending}>
          {submit}
        </Button>
        {onCancel !== undefined && <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>}
      </div>
    </form>
  );
}
