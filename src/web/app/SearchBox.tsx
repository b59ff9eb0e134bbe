import { t } from '@lingui/core/macro';
import { IconButton } from '#web/ui/Button.tsx';
import { useMediaQuery } from '@mantine/hooks';
import { useLocation, useRouter } from '#web/core/router.ts';
import { IconBolt, IconSearch } from '@tabler/icons-react';
import { Suspense, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import { flushSync } from 'react-dom';
import { paths, parseSearch, stringifySearch } from '#web/core/paths.ts';
import { requestHeadingFocus } from '#web/ui/PageHeading.tsx';
import type { SearchHelpHandle } from '#web/discovery/search/SearchHelp.tsx';
import { commandPaletteOverlay } from './overlays.ts';
import classes from './SearchBox.module.css';

export const searchBoxId = 'search-questions';
const helpId = 'search-operators';

const SearchHelp = lazyComponent(() => import('#web/discovery/search/SearchHelp.tsx'));

/** Navigates to /search?q= if the query is not blank. On the results page it shows their query. */
export function SearchBox() {
  const { pathname, search } = useLocation();
  const urlQuery = pathname === paths.search ? (parseSearch(search)['q'] ?? '') : '';
  return <SearchForm key={urlQuery} urlQuery={urlQuery} />;
}

function SearchForm({ urlQuery }: { urlQuery: string }) {
  const router = useRouter();
  const [text, setText] = useState(urlQuery);
  const [caret, setCaret] = useState(0);
  const [helping, setHelping] = useState(false);
  const [activeOption, setActiveOption] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const help = useRef<SearchHelpHandle>(null);
  const phone = useMediaQuery('(max-width: 47.99em)', false);

  function submit(event: FormEvent) {
    event.preventDefault();
    const query = text.trim();
    if (query === '') return;
    stopHelping();
    void router.navigate(paths.search + stringifySearch({ q: query })).then(requestHeadingFocus);
  }

  function stopHelping() {
    setHelping(false);
    setActiveOption(null);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!helping) return;
    if (event.key !== 'Escape') {
      help.current?.onKeyDown(event);
      return;
    }
    // The browser would clear the box.
    event.preventDefault();
    stopHelping();
  }

  function applyCompletion(chosen: { text: string; caret: number }) {
    // Synchronously, so that text typed next goes behind it.
    flushSync(() => {
      setText(chosen.text);
      setCaret(chosen.caret);
      setActiveOption(null);
    });
    box.current?.setSelectionRange(chosen.caret, chosen.caret);
  }

  return (
    <search className={classes.search}>
      <form action={paths.search} onSubmit={submit}>
        <IconSearch size={18} stroke={1.6} className={classes.icon} aria-hidden />
        <input
          ref={box}
          id={searchBoxId}
          className={classes.input}
          type="search"
          dir={text === '' ? undefined : 'auto'}
          name="q"
          aria-label={t`Search questions`}
          aria-controls={activeOption === null ? undefined : helpId}
          aria-autocomplete="list"
          aria-activedescendant={activeOption ?? undefined}
          // The short text fits a phone. The accessible name says what the box searches.
          placeholder={phone ? t`Search` : t`Search questions`}
          autoComplete="off"
          enterKeyHint="search"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart ?? event.currentTarget.value.length);
            setHelping(true);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => setHelping(true)}
          onBlur={stopHelping}
          onKeyDown={onKeyDown}
        />
        <kbd className={classes.key} aria-hidden="true">
          /
        </kbd>
        {helping && (
          <Suspense>
            <SearchHelp
              id={helpId}
              text={text}
              caret={caret}
              keys={help}
              onActive={setActiveOption}
              onChoose={applyCompletion}
            />
          </Suspense>
        )}
      </form>
      <IconButton
        size={36}
        round
        className={classes.palette ?? ''}
        aria-label={t`Command palette`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={commandPaletteOverlay.open}
      >
        <IconBolt size={18} stroke={1.6} />
      </IconButton>
    </search>
  );
}
