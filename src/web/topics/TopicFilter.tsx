import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { TopicSort } from '#shared/topics.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import classes from './TopicFilter.module.css';

const sorts = (): readonly (readonly [TopicSort, string])[] => [
  ['popular', t`Most Popular`],
  ['alphabetical', t`Alphabetical`],
  ['active', t`Recently Active`],
];

const pauseMs = 200;

/** What /topics shows, in what order; both are in the address. */
export function TopicFilter({ q, sort }: { q: string; sort: TopicSort }) {
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

  function go(next: { q: string; sort: TopicSort }, replace: boolean) {
    window.clearTimeout(timer.current);
    void router.navigate({
      to: '/topics',
      search: {
        q: next.q.trim() === '' ? undefined : next.q.trim(),
        sort: next.sort === 'popular' ? undefined : next.sort,
      },
      replace,
      resetScroll: false,
    });
  }

  function type(typed: string) {
    setText(typed);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => go({ q: typed, sort }, true), pauseMs);
  }

  return (
    <search>
      <form
        className={classes.filter}
        onSubmit={(event) => {
          event.preventDefault();
          go({ q: text, sort }, true);
        }}
      >
        <TextInput
          type="search"
          aria-label={t`Search topics`}
          placeholder={t`Search topics`}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={200}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <SelectField
          label={t`Sort by`}
          short
          options={sorts()}
          value={sort}
          onChange={(sort) => go({ q: text, sort }, false)}
        />
      </form>
    </search>
  );
}
