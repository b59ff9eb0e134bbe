import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { limits } from '#shared/limits.ts';
import classes from './BookmarkSearch.module.css';

const pauseMs = 250;

/** Looks in notes and titles; the words are in the address. */
export function BookmarkSearch({ q, list }: { q: string; list: number | null }) {
  const router = useRouter();
  const [text, setText] = useState(q);
  const [followed, setFollowed] = useState(q);
  const timer = useRef<number | undefined>(undefined);
  // The address changed by a link or by Back, not by typing here.
  if (q !== followed) {
    setFollowed(q);
    if (text.trim() !== q) setText(q);
  }
  useEffect(() => () => window.clearTimeout(timer.current), []);

  function go(typed: string) {
    window.clearTimeout(timer.current);
    void router.navigate({
      to: '/bookmarks',
      search: { list: list ?? undefined, q: typed.trim() === '' ? undefined : typed.trim() },
      replace: true,
      resetScroll: false,
    });
  }

  return (
    <search className={classes.search}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(text);
        }}
      >
        <TextInput
          type="search"
          aria-label={t`Search bookmarks`}
          placeholder={t`Search your notes and the titles`}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={limits.searchQuery}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          value={text}
          onChange={(event) => {
            const typed = event.currentTarget.value;
            setText(typed);
            window.clearTimeout(timer.current);
            timer.current = window.setTimeout(() => go(typed), pauseMs);
          }}
        />
      </form>
    </search>
  );
}
