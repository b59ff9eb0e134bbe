import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '#web/core/router.ts';
import { type FormEvent, useState } from 'react';
import { formatShortCount } from '#web/core/format.ts';
import {
  type BookmarkList,
  bookmarkListDraft,
  type BookmarkLists as Lists,
} from '#shared/engagement/bookmarks.ts';
import { limits } from '#shared/core/limits.ts';
import { onEscape } from '#web/core/composition.ts';
import { translateSchemaError } from '#web/core/errors.ts';
import { toastError } from '#web/core/toast.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { PostButton, PostActions } from '#web/posts/index.ts';
import { Link } from '#web/ui/Link.tsx';
import { refreshBookmarks } from './bookmarks.ts';
import {
  bookmarkListPath,
  createBookmarkList,
  deleteBookmarkList,
  renameBookmarkList,
} from './bookmark-lists.ts';
import classes from './BookmarkLists.module.css';
import { paths } from '#web/core/paths.ts';

/** Links to the lists, and the actions on the current one. */
export function BookmarkLists({ lists, listId }: { lists: Lists; listId: number | null }) {
  const [naming, setNaming] = useState<'new' | 'rename' | null>(null);
  const current = lists.items.find(({ id }) => id === listId);
  return (
    <>
      <nav aria-label={t`Lists`}>
        <ul className={classes.lists}>
          <BookmarkListLink id={null} name={t`All`} count={lists.total} shown={listId} />
          {lists.items.map(({ id, name, count }) => (
            <BookmarkListLink key={id} id={id} name={name} count={count} shown={listId} />
          ))}
          <li>
            <button type="button" className={classes.add} onClick={() => setNaming('new')}>
              <IconPlus size={16} stroke={1.8} aria-hidden />
              {t`New list`}
            </button>
          </li>
        </ul>
      </nav>
      {naming !== null && (
        <BookmarkListNameForm
          key={`${naming} ${listId}`}
          list={naming === 'rename' ? current : undefined}
          onLeave={() => setNaming(null)}
        />
      )}
      {current !== undefined && naming === null && (
        <BookmarkListActions key={current.id} list={current} onRename={() => setNaming('rename')} />
      )}
    </>
  );
}

function BookmarkListLink(props: { id: number | null; name: string; count: number; shown: number | null }) {
  return (
    <li>
      <Link
        href={bookmarkListPath(props.id)}
        resetScroll={false}
        className={classes.list}
        aria-current={props.id === props.shown ? 'page' : undefined}
      >
        <span dir="auto">{props.name}</span>{' '}
        <span className={classes.count}>{formatShortCount(props.count)}</span>
      </Link>
    </li>
  );
}

function BookmarkListActions({ list, onRename }: { list: BookmarkList; onRename: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteBookmarkList(list.id),
    onSuccess: async () => {
      await router.navigate(paths.bookmarks, { replace: true });
      await refreshBookmarks(client);
    },
    onError: (error) => toastError(t`The list could not be deleted: ${error.message}`),
  });
  return (
    <div className={classes.actions}>
      <PostActions>
        <PostButton label={t`Rename list`} Icon={IconPencil} onPress={onRename} />
        <PostButton label={t`Delete list`} Icon={IconTrash} onPress={() => setIsConfirming(true)} />
      </PostActions>
      <ConfirmDialog
        opened={isConfirming}
        title={t`Delete this list?`}
        text={t`Bookmarks in this list are not deleted.`}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setIsConfirming(false)}
      />
    </div>
  );
}

/** @param list the list to rename; undefined for a new one. */
function BookmarkListNameForm({ list, onLeave }: { list: BookmarkList | undefined; onLeave: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const [name, setName] = useState(list?.name ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: async (name: string) => {
      if (list === undefined) return (await createBookmarkList(name)).id;
      await renameBookmarkList(list.id, name);
      return list.id;
    },
    onSuccess: async (id) => {
      await refreshBookmarks(client);
      onLeave();
      await router.navigate(bookmarkListPath(id), { resetScroll: false });
    },
    onError: (error) => setProblem(error.message),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    const checked = bookmarkListDraft.safeParse({ name });
    if (!checked.success) return setProblem(translateSchemaError(checked.error));
    setProblem(null);
    if (!save.isPending) save.mutate(checked.data.name);
  }

  return (
    <form className={classes.naming} noValidate onSubmit={submit}>
      <TextInput
        aria-label={list === undefined ? t`New list name` : t`List name`}
        placeholder={t`To read, recipes, for work`}
        ref={takeFocus}
        dir="auto"
        maxLength={limits.bookmarkListName * 2}
        value={name}
        error={problem}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={onEscape(onLeave)}
      />
      <Button type="submit" loading={save.isPending}>
        {list === undefined ? t`Add list` : t`Rename`}
      </Button>
      <Button variant="default" onClick={onLeave}>
        {t`Cancel`}
      </Button>
    </form>
  );
}

/** The member pressed the button to type here. */
const takeFocus = (field: HTMLInputElement | null) => field?.focus();
