import { t } from '@lingui/core/macro';
import type { Me } from '#shared/identity/accounts.ts';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation } from '#shared/identity/invitations.ts';
import { toast } from '#web/core/toast.ts';
import { ModerationMenu } from '#web/moderation/index.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { InvitationCard } from './InvitationCard.tsx';
import { InvitationForm } from './InvitationForm.tsx';
import { invitationsQuery, revokeInvitation } from './invitations.ts';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';

/** Links with which people register, for moderators. */
export function InvitationsPage({ member }: { member: Me }) {
  const isAdmin = member.role === 'admin';
  usePageTitle(t`Invitations`);
  const query = useInfiniteQuery(invitationsQuery);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Invitations`}</PageHeading>
        <div className={page.buttons}>
          <ModerationMenu />
          {isAdmin && <AdminMenu />}
        </div>
      </div>
      <p className={classes.intro}>
        {t`Anyone who has the link can register with it, until it expires, is used up or is revoked.`}
      </p>
      <InvitationForm />
      <PagedList
        query={query}
        noun="results"
        keyOf={({ id }) => id}
        pending={null}
        empty={
          <EmptyState
            title={t`No invitations`}
            text={t`Invitations and who joined with them show up here.`}
          />
        }
      >
        {(invitations) => (
          <ul className={classes.cards} aria-label={t`Invitations`}>
            {invitations.map((invitation) => (
              <li key={invitation.id} className={classes.card}>
                <InvitationCard invitation={invitation} onRevoke={() => setRevoking(invitation)} />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {revoking !== null && <RevokeDialog id={revoking.id} onClose={() => setRevoking(null)} />}
    </>
  );
}

function RevokeDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeInvitation(client, id),
    onSuccess: () => {
      toast(t`Invitation revoked`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t`Revoke invitation`}
      opened
      text={t`Nobody can register with this link any longer. Members who joined with it stay.`}
      label={t`Revoke`}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
      onCancel={onClose}
    >
      <FormError message={revoke.error?.message ?? null} />
    </ConfirmDialog>
  );
}
