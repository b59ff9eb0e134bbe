import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { RegisteredAccount, RemovalSelection } from '#shared/moderation/removals.ts';
import { moderationKeys } from './moderation.ts';
import { ModerationMenu } from './ModerationMenu.tsx';
import classes from './moderation.module.css';
import { RegistrationNetworkCard } from './RegistrationNetworkCard.tsx';
import { RemovalList } from './RemovalList.tsx';
import { approveAccounts, registrationNetworksQuery } from './removals.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { useLive } from '#web/core/live.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import pageClasses from '#web/ui/page.module.css';

const RemovalDialog = lazyComponent(() => import('./RemovalDialog.tsx'));

const getPeriods = () =>
  [
    ['1', t`Last hour`],
    ['24', t`Last 24 hours`],
    ['168', t`Last 7 days`],
    ['720', t`Last 30 days`],
  ] as const;
type PeriodHours = ReturnType<typeof getPeriods>[number][0];

/** Recent registrations by network, for moderators. */
export function RegistrationsPage() {
  usePageTitle(t`Recent registrations`);
  const client = useQueryClient();
  const [span, setSpan] = useState<PeriodHours>('24');
  const [selected, setSelected] = useState<ReadonlyMap<number, RegisteredAccount>>(new Map());
  const [removing, setRemoving] = useState<RemovalSelection | null>(null);
  const hours = Number(span);
  const query = useQuery(registrationNetworksQuery(hours));
  const refresh = () => void client.invalidateQueries({ queryKey: moderationKeys.all });
  useLive('moderation', { onEvents: refresh, onMissed: refresh });

  function select(accounts: readonly RegisteredAccount[], isSelected: boolean) {
    const next = new Map(selected);
    for (const account of accounts) {
      if (isSelected) next.set(account.id, account);
      else next.delete(account.id);
    }
    setSelected(next);
  }

  const waiting = [...selected.values()].filter(({ pendingStep }) => pendingStep !== null);
  const approve = useMutation({
    mutationFn: () =>
      approveAccounts(
        client,
        waiting.map(({ id }) => id),
      ),
    onSuccess() {
      setSelected(new Map());
      toast(t`Saved to the moderation log`);
    },
    onError: (error) => toastError(error.message),
  });

  function removeNetwork(network: string) {
    // Accounts that register while the preview is open are not part of it.
    setRemoving({ memberIds: [], network, ...getRangeOfLastHours(hours) });
  }

  const count = selected.size;
  const actions = (
    <div className={classes.buttons}>
      <span className={classes.quiet}>{plural(count, { one: '# selected', other: '# selected' })}</span>
      <Button
        variant="default"
        disabled={waiting.length === 0}
        loading={approve.isPending}
        onClick={() => approve.mutate()}
      >{t`Approve`}</Button>
      <Button
        disabled={count === 0}
        onClick={() => setRemoving({ memberIds: [...selected.keys()], network: null, from: null, to: null })}
      >
        {t`Remove activity of selected accounts`}
      </Button>
    </div>
  );

  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Recent registrations`}</PageHeading>
        <ModerationMenu />
      </div>
      <RemovalList />
      <div className={classes.span}>
        <SelectField
          label={t`Registered`}
          options={getPeriods()}
          value={span}
          onChange={(chosen) => {
            setSpan(chosen);
            // Accounts that the page no longer shows must not be part of an action.
            setSelected(new Map());
          }}
        />
      </div>
      {query.data === undefined ? (
        query.isError && <LoadError text={t`The results could not be loaded.`} query={query} />
      ) : query.data.items.length === 0 ? (
        <EmptyState title={t`No registrations`} text={t`New accounts show up here, grouped by network.`} />
      ) : (
        <ul className={classes.list}>
          {query.data.items.map((each) => (
            <li key={each.network ?? ''}>
              <RegistrationNetworkCard
                of={each}
                hours={hours}
                selected={selected}
                onSelect={select}
                onRemove={each.network === null ? undefined : () => removeNetwork(each.network ?? '')}
              >
                {actions}
              </RegistrationNetworkCard>
            </li>
          ))}
        </ul>
      )}
      {removing !== null && (
        <Suspense>
          <RemovalDialog
            selection={removing}
            onDone={() => {
              setRemoving(null);
              setSelected(new Map());
            }}
            onClose={() => setRemoving(null)}
          />
        </Suspense>
      )}
    </>
  );
}

function getRangeOfLastHours(hours: number) {
  const now = Date.now();
  return { from: new Date(now - hours * 3_600_000).toISOString(), to: new Date(now).toISOString() };
}
