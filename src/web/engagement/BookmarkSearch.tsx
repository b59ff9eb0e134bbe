import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '#web/core/router.ts';
import { limits } from '#shared/core/limits.ts';
import { useSearchParamText } from '#web/core/useSearchParamText.ts';
import classes from './BookmarkLists.module.css';
import { paths, stringifySearch } from '#web/core/paths.ts';

/** Searches notes and titles. The query is in the address. */
export function BookmarkSearch({ q, list }: { q: string; list: number | null }) {
  const router = useRouter();
  const { text, type, sends } = useSearchParamText(q, go);

  function go(typed: string) {
    sends(typed);
    const search = stringifySearch({ list, q: typed.trim() === '' ? undefined : typed.trim() });
    void router.navigate(paths.bookmarks + search, { replace: true, resetScroll: false });
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
