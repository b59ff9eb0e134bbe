import { plural, t } from '@lingui/core/macro';
import type { Me } from '#shared/identity/accounts.ts';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRouter, usePageSearch } from '#web/core/router.ts';
import { Suspense, useState } from 'react';
import type { ListedMember, MemberFilter } from '#shared/moderation/member-list.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { useSearchParamText } from '#web/core/useSearchParamText.ts';
import { DownloadLink } from '#web/ui/DownloadLink.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Link } from '#web/ui/Link.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import pageClasses from '#web/ui/page.module.css';
import { memberListQuery } from './member-list.ts';
import { MemberRow } from './MemberRow.tsx';
import { ModerationMenu } from './ModerationMenu.tsx';
import fields from '#web/ui/fields.module.css';
import classes from './members.module.css';
import { oneOf } from '#web/core/page-search.ts';

// Not that of the shared schema, which would load zod here. The page uses all of them, so the compiler finds a missing one.
const memberFilters = ['team', 'suspended', 'waiting', 'removed', 'profile_links'] as const;

/** All members are the default of an address without a filter. */
const parseMembersSearch = ({
  q,
  show,
}: Record<string, unknown>): {
  q?: string | undefined;
  show?: (typeof memberFilters)[number] | undefined;
} => ({
  q: typeof q === 'string' && q.trim() !== '' ? q.trim() : undefined,
  show: oneOf(show, ...memberFilters),
});

const RemovalDialog = lazyComponent(() => import('./RemovalDialog.tsx'));

const getFilters = (): readonly (readonly [MemberFilter, string])[] => [
  ['all', t`All members`],
  ['team', t`Moderators and admins`],
  ['suspended', t`Suspended`],
  ['waiting', t`Waiting for approval`],
  ['removed', t`Activity removed`],
  ['profile_links', t`New, with links in the profile`],
];

/** All members with an account, for moderators. */
export function MembersPage({ member }: { member: Me }) {
  const isAdmin = member.role === 'admin';
  const { q = '', show = 'all' } = usePageSearch(parseMembersSearch);
  usePageTitle(t`Members`);
  const query = useInfiniteQuery(memberListQuery({ q, show }));
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [isRemoving, setIsRemoving] = useState(false);
  const count = selected.size;
  const hasMore = query.data?.pages.some((page) => page.hasMore) ?? false;

  function select(members: readonly ListedMember[], isSelected: boolean) {
    const next = new Set(selected);
    for (const { id } of members) {
      if (isSelected) next.add(id);
      else next.delete(id);
    }
    setSelected(next);
  }

  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Members`}</PageHeading>
        <ModerationMenu />
      </div>
      <MemberSearch q={q} show={show} isAdmin={isAdmin} />
      {count > 0 && (
        <section className={classes.selection} aria-label={t`Selected members`}>
          <span>{plural(count, { one: '# selected', other: '# selected' })}</span>
          <Button variant="default" onClick={() => setSelected(new Set())}>{t`Clear selection`}</Button>
          <Button onClick={() => setIsRemoving(true)}>{t`Remove all activity`}</Button>
        </section>
      )}
      <PagedList
        query={query}
        noun="results"
        keyOf={({ id }) => id}
        pending={null}
        empty={<EmptyState title={t`No members found`} text={t`Nobody matches this search.`} />}
      >
        {(members) => {
          const selectable = members.filter(isSelectable);
          return (
            <>
              <label className={classes.all}>
                <input
                  type="checkbox"
                  className={fields.checkbox}
                  checked={selectable.length > 0 && selectable.every(({ id }) => selected.has(id))}
                  // Not the previous list, while the chosen one loads.
                  disabled={selectable.length === 0 || query.isPlaceholderData}
                  onChange={(event) => select(selectable, event.currentTarget.checked)}
                />
                {t`Select all shown`}
              </label>
              <ul className={classes.list} aria-label={t`Members`}>
                {members.map((member) => (
                  <MemberRow
                    key={member.id}
                    member={member}
                    isSelected={selected.has(member.id)}
                    onSelect={isSelectable(member) ? (isSelected) => select([member], isSelected) : null}
                  />
                ))}
              </ul>
            </>
          );
        }}
      </PagedList>
      {show === 'all' && (
        <p className={classes.quiet}>
          {t`Only members with an account are listed, not authors of imported posts.`}{' '}
          <Link href={`${paths.search}?in=users&q=${encodeURIComponent(q)}`}>{t`Search for members`}</Link>
        </p>
      )}
      {hasMore && <p className={classes.quiet}>{t`More members match. Enter more of the name.`}</p>}
      {isRemoving && (
        <Suspense>
          <RemovalDialog
            selection={{ memberIds: [...selected], network: null, from: null, to: null }}
            onDone={() => {
              setIsRemoving(false);
              setSelected(new Set());
            }}
            onClose={() => setIsRemoving(false)}
          />
        </Suspense>
      )}
    </>
  );
}

/** The activity of moderators cannot be removed. */
const isSelectable = ({ role, isRemoved }: ListedMember) => role === 'member' && !isRemoved;

/** Which members are listed. Both fields are in the address. */
function MemberSearch({ q, show, isAdmin }: { q: string; show: MemberFilter; isAdmin: boolean }) {
  const router = useRouter();
  const { text, type, sends } = useSearchParamText(q, (typed) => go({ q: typed, show }, true));

  function go(next: { q: string; show: MemberFilter }, replace: boolean) {
    sends(next.q);
    const search = stringifySearch({
      q: next.q.trim() === '' ? undefined : next.q.trim(),
      show: next.show === 'all' ? undefined : next.show,
    });
    void router.navigate(paths.members + search, {
      replace,
      resetScroll: false,
    });
  }

  return (
    <search>
      <form
        className={classes.search}
        onSubmit={(event) => {
          event.preventDefault();
          go({ q: text, show }, true);
        }}
      >
        <TextInput
          type="search"
          className={classes.field ?? ''}
          aria-label={t`Search members`}
          placeholder={isAdmin ? t`Name or email address` : t`Beginning of a name`}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={200}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <SelectField
          label={t`Show`}
          short
          options={getFilters()}
          value={show}
          onChange={(chosen) => go({ q: text, show: chosen }, false)}
        />
        {isAdmin && <DownloadLink href={`/api/admin/members.csv?show=${show}`} of={t`Members`} />}
      </form>
    </search>
  );
}
