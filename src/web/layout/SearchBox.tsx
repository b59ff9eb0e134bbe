import { useLocation, useRouter } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { paths } from '#web/platform/paths.ts';
import classes from './SearchBox.module.css';

export const searchBoxId = 'search-questions';

/** Goes to /search?q=, with something to search for only. On the results page it shows their query. */
export function SearchBox() {
  const asked = useLocation({
    select: ({ pathname, searchStr }) =>
      pathname === paths.search ? (new URLSearchParams(searchStr).get('q') ?? '') : '',
  });
  return <SearchForm key={asked} asked={asked} />;
}

function SearchForm({ asked }: { asked: string }) {
  const router = useRouter();
  const [text, setText] = useState(asked);

  function submit(event: FormEvent) {
    event.preventDefault();
    const query = text.trim();
    if (query === '') return;
    void router.navigate({ href: `${paths.search}?${new URLSearchParams({ q: query }).toString()}` });
  }

  return (
    <search className={classes.search}>
      <form action={paths.search} onSubmit={submit}>
        <IconSearch size={18} stroke={1.6} className={classes.icon} aria-hidden />
        <input
          id={searchBoxId}
          className={classes.input}
          type="search"
          name="q"
          aria-label="Search questions"
          placeholder="Search questions"
          autoComplete="off"
          enterKeyHint="search"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <kbd className={classes.key} aria-hidden="true">
          /
        </kbd>
      </form>
    </search>
  );
}
