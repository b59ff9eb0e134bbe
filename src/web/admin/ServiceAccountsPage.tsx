import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ServiceAccount, ServiceAccounts as Accounts } from '#shared/integrations/service-accounts.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { DeleteServiceAccount } from './DeleteServiceAccount.tsx';
import { ServiceAccountCard } from './ServiceAccountCard.tsx';
import { ServiceAccountForm } from './ServiceAccountForm.tsx';
import { serviceAccountsQuery } from './service-accounts.ts';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';

/** The accounts of programs, for admins. */
export function ServiceAccountsPage() {
  usePageTitle(t`Service accounts`);
  const query = useQuery(serviceAccountsQuery);
  const { data } = query;
  const [adding, setAdding] = useState(false);
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Service accounts`}</PageHeading>
        <AdminMenu />
      </div>
      <p className={classes.intro}>
        {t`Accounts of programs that use the API. They cannot sign in, and their posts show “Bot”.`}
      </p>
      {query.isError && data === undefined && (
        <LoadError text={t`The service accounts could not be loaded.`} query={query} />
      )}
      {query.isPending && (
        <LoadingRegion label={t`Loading the service accounts`}>
          <SkeletonLines widths={['40%', '70%', '50%']} />
        </LoadingRegion>
      )}
      {data !== undefined && (
        <>
          {!data.tokensEnabled && (
            <p className={classes.intro}>{t`API tokens are switched off in this community.`}</p>
          )}
          <AccountList accounts={data} />
          <section className={classes.section} aria-labelledby="add-service-account">
            <h2 id="add-service-account">{t`Add a service account`}</h2>
            {adding ? (
              <ServiceAccountForm account={null} onClose={() => setAdding(false)} />
            ) : (
              <Button onClick={() => setAdding(true)}>{t`Add service account`}</Button>
            )}
          </section>
        </>
      )}
    </>
  );
}

function AccountList({ accounts: { items, tokensEnabled } }: { accounts: Accounts }) {
  const [editing, setEditing] = useState<number | null>(null);
  const [deleting, setDeleting] = useState<ServiceAccount | null>(null);
  if (items.length === 0)
    return (
      <EmptyState
        title={t`No service accounts`}
        text={t`Add one for each program that posts for the community.`}
      />
    );
  return (
    <>
      <ul className={classes.cards} aria-label={t`Service accounts`}>
        {items.map((account) => (
          <li key={account.id} className={classes.card}>
            {editing === account.id ? (
              <ServiceAccountForm account={account} onClose={() => setEditing(null)} />
            ) : (
              <ServiceAccountCard
                account={account}
                tokensEnabled={tokensEnabled}
                onEdit={() => setEditing(account.id)}
                onDelete={() => setDeleting(account)}
              />
            )}
          </li>
        ))}
      </ul>
      <Dialog
        title={t`Delete service account`}
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        closeButton={false}
      >
        {deleting !== null && <DeleteServiceAccount account={deleting} onClose={() => setDeleting(null)} />}
      </Dialog>
    </>
  );
}
