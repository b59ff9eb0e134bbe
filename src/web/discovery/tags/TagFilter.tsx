import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { TagSort } from '#shared/discovery/tags.ts';
import { useSearchParamText } from '#web/core/useSearchParamText.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import classes from './TagFilter.module.css';

const sortOptions = (): readonly (readonly [TagSort, string])[] => [
  ['popular', t`Most Popular`],
  ['alphabetical', t`Alphabetical`],
  ['active', t`Recently Active`],
];

/** Which tags /topics shows and how they are sorted. Both are in the address. */
export function TagFilter({ q, sort }: { q: string; sort: TagSort }) {
  const router = useRouter();
  const { text, type, sends } = useSearchParamText(q, (typed) => go({ q: typed, sort }, true));

  function go(next: { q: string; sort: TagSort }, replace: boolean) {
    sends(next.q);
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
          options={sortOptions()}
          value={sort}
          onChange={(sort) => go({ q: text, sort }, false)}
        />
      </form>
    </search>
  );
}
