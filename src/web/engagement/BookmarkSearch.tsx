import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { limits } from '#shared/core/limits.ts';
import { useSearchParamText } from '#web/core/useSearchParamText.ts';
import classes from './BookmarkLists.module.css';

/** Searches notes and titles. The query is in the address. */
export function BookmarkSearch({ q, list }: { q: string; list: number | null }) {
  const router = useRouter();
  const { text, type, sends } = useSearchParamText(q, go);

  function go(typed: string) {
    sends(typed);
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
          placeholder={t`Search notes and titles`}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={limits.searchQuery}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
