import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useIsFetching, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ProviderPreset, providerPresets } from '#shared/admin/sign-in-provider-presets.ts';
import type { SignInProvider, SignInProviders as ProviderList } from '#shared/admin/sign-in-providers.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { SignInProviderCard } from './SignInProviderCard.tsx';
import { type ProviderLoss, SignInProviderDialog } from './SignInProviderDialog.tsx';
import { SignInProviderForm } from './SignInProviderForm.tsx';
import { orderProviders, setProviderEnabled, signInProvidersQuery } from './sign-in-providers.ts';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';

/** The sign-in providers of the community, for admins. */
export function SignInProvidersPage() {
  usePageTitle(t`Sign-in providers`);
  const query = useQuery(signInProvidersQuery);
  const { data } = query;
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Sign-in providers`}</PageHeading>
        <AdminMenu />
      </div>
      <p className={classes.intro}>
        {t`Members can register and sign in with an account at these OpenID Connect providers. Their buttons are on the sign-in page in this order.`}
      </p>
      {query.isError && data === undefined && (
        <LoadError text={t`The sign-in providers could not be loaded.`} query={query} />
      )}
      {query.isPending && (
        <LoadingRegion label={t`Loading the sign-in providers`}>
          <SkeletonLines widths={['40%', '70%', '50%']} />
        </LoadingRegion>
      )}
      {data !== undefined && (
        <>
          <Providers list={data} />
          <AddProvider list={data} />
        </>
      )}
    </>
  );
}

function Providers({ list: { items, origin } }: { list: ProviderList }) {
  const client = useQueryClient();
  const [editing, setEditing] = useState<string | null>(null);
  const [losing, setLosing] = useState<ProviderLoss | null>(null);
  const done = {
    onSuccess: () => toast(t`Saved to the moderation log`),
    onError: (error: Error) => toastError(error.message),
  };
  const enable = useMutation({ mutationFn: (id: string) => setProviderEnabled(client, id, true), ...done });
  const order = useMutation({ mutationFn: (ids: string[]) => orderProviders(client, ids), ...done });
  // Until it is read again, the list has the order before the last move.
  const isReading = useIsFetching({ queryKey: signInProvidersQuery.queryKey }) > 0;
  const ids = items.filter(({ isFromEnvironment }) => !isFromEnvironment).map(({ id }) => id);
  if (items.length === 0)
    return (
      <EmptyState
        title={t`No sign-in providers`}
        text={t`Add the one that your members already use, such as that of your organization.`}
      />
    );
  return (
    <>
      <ul className={classes.cards} aria-label={t`Sign-in providers`}>
        {items.map((provider) => (
          <li key={provider.id} className={classes.card}>
            {editing === provider.id ? (
              <SignInProviderForm
                start={{ provider }}
                origin={origin}
                takenIds={[]}
                onClose={() => setEditing(null)}
              />
            ) : (
              <SignInProviderCard
                provider={provider}
                place={getPlace(ids, provider)}
                isBusy={order.isPending || enable.isPending || isReading}
                onEdit={() => setEditing(provider.id)}
                onEnable={() => enable.mutate(provider.id)}
                onDisable={() => setLosing({ provider, how: 'disable' })}
                onDelete={() => setLosing({ provider, how: 'delete' })}
                onMove={(by) => order.mutate(moveId(ids, provider.id, by))}
              />
            )}
          </li>
        ))}
      </ul>
      {losing !== null && <SignInProviderDialog loss={losing} onClose={() => setLosing(null)} />}
    </>
  );
}

const getPlace = (ids: readonly string[], { id }: SignInProvider) => ({
  isFirst: ids[0] === id,
  isLast: ids.at(-1) === id,
});

/** The ids with one moved up (-1) or down (1). */
function moveId(ids: readonly string[], id: string, by: -1 | 1): string[] {
  const rest = ids.filter((each) => each !== id);
  return rest.toSpliced(ids.indexOf(id) + by, 0, id);
}

/** Presets first; then the form of the chosen one. */
function AddProvider({ list: { items, origin } }: { list: ProviderList }) {
  const [preset, setPreset] = useState<ProviderPreset | null>(null);
  return (
    <section className={classes.section} aria-labelledby="add-provider">
      <h2 id="add-provider">{t`Add a provider`}</h2>
      {preset === null ? (
        <div className={classes.buttons}>
          {providerPresets.map((each) => (
            <Button key={each.id} variant="default" onClick={() => setPreset(each)}>
              {each.name === '' ? t`Other provider` : each.name}
            </Button>
          ))}
        </div>
      ) : (
        <SignInProviderForm
          start={{ preset }}
          origin={origin}
          takenIds={items.map(({ id }) => id)}
          onClose={() => setPreset(null)}
        />
      )}
    </section>
  );
}
