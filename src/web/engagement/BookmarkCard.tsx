import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconBookmarkOff, IconListDetails, IconPencil } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Bookmark, BookmarkList } from '#shared/engagement/bookmarks.ts';
import { answerPath, questionPath } from '#shared/posts/question-paths.ts';
import { CardTitle, PostButton, PostActions } from '#web/posts/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { bookmarkListPath } from './bookmark-lists.ts';
import BookmarkDialog from './BookmarkDialog.tsx';
import { BookmarkNoteForm } from './BookmarkNoteForm.tsx';
import { useRemoveBookmark } from './useRemoveBookmark.ts';
import classes from './BookmarkCard.module.css';

/** A bookmarked question or answer with the member's note. */
export function BookmarkCard({ bookmark, lists }: { bookmark: Bookmark; lists: readonly BookmarkList[] }) {
  const titleId = useId();
  const [editing, setEditing] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const remove = useRemoveBookmark();
  const actions = useRef<HTMLDivElement>(null);
  const edited = useRef(false);
  useEffect(() => {
    // The focus returns to the button that opened the form.
    if (edited.current && !editing) actions.current?.querySelector('button')?.focus();
    edited.current = editing;
  }, [editing]);
  const { questionId, answerId, note, title } = bookmark;
  const href =
    answerId === null ? questionPath(questionId, title) : answerPath({ questionId, id: answerId }, title);
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.byline}>
        <Avatar id={bookmark.authorId} name={bookmark.authorName} avatar={bookmark.authorAvatar} size={22} />
        <span className={classes.author} dir="auto">
          {bookmark.authorName}
        </span>
        <span className={classes.kind}>{answerId === null ? t`asked` : t`answered`}</span>
        <span className={classes.savedAt}>
          <Trans>
            saved <Time at={bookmark.bookmarkedAt} kind="card" />
          </Trans>
        </span>
      </div>
      <CardTitle id={titleId} href={href}>
        {title}
      </CardTitle>
      <p className={classes.excerpt} dir="auto">
        {bookmark.excerptCut ? `${bookmark.excerpt}…` : bookmark.excerpt}
      </p>
      {editing ? (
        <BookmarkNoteForm bookmark={bookmark} onLeave={() => setEditing(false)} />
      ) : (
        note !== '' && (
          <p className={classes.note} dir="auto">
            {note}
          </p>
        )
      )}
      <ListLinks bookmark={bookmark} lists={lists} />
      {!editing && (
        <div ref={actions} className={classes.actions}>
          <PostActions>
            <PostButton
              label={note === '' ? t`Add a note` : t`Edit note`}
              Icon={IconPencil}
              describedBy={titleId}
              onPress={() => setEditing(true)}
            />
            <PostButton
              label={t`Choose lists`}
              Icon={IconListDetails}
              describedBy={titleId}
              onPress={() => setChoosing(true)}
            />
            <PostButton
              label={t`Remove`}
              Icon={IconBookmarkOff}
              describedBy={titleId}
              onPress={() => remove.mutate(bookmark)}
            />
          </PostActions>
        </div>
      )}
      <BookmarkDialog
        id={bookmark.id}
        note={note}
        listIds={bookmark.listIds}
        opened={choosing}
        onClose={() => setChoosing(false)}
      />
    </article>
  );
}

function ListLinks({ bookmark, lists }: { bookmark: Bookmark; lists: readonly BookmarkList[] }) {
  const bookmarkLists = lists.filter(({ id }) => bookmark.listIds.includes(id));
  if (bookmarkLists.length === 0) return null;
  return (
    <ul className={classes.lists} aria-label={t`In lists`}>
      {bookmarkLists.map(({ id, name }) => (
        <li key={id}>
          <Link href={bookmarkListPath(id)} className={classes.list} dir="auto">
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
