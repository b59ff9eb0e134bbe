import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '#web/core/router.ts';
import { useState } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import { type ApplicationStatus, applicationStatus } from '#shared/identity/applications.ts';
import type { Application } from '#shared/moderation/applications.ts';
import { maxReviewCount } from '#shared/moderation/moderation.ts';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import { useLive } from '#web/core/live.ts';
import { paths } from '#web/core/paths.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { type TabLink, TabLinks } from '#web/ui/TabLinks.tsx';
import pageClasses from '#web/ui/page.module.css';
import { ApplicationCard } from './ApplicationCard.tsx';
import {
  applicationCountQuery,
  applicationKeys,
  applicationsQuery,
  claimApplication,
  decideApplication,
  releaseApplication,
} from './applications.ts';
import classes from './moderation.module.css';
import { ModerationMenu } from './ModerationMenu.tsx';
import { ReasonForm } from './ReasonForm.tsx';
import { useReviewClaim } from './useReviewClaim.ts';

const claims = { claim: claimApplication, release: releaseApplication };

/** The accounts that wait for approval, for moderators. */
export function ApplicationsPage({ member: { id: memberId } }: { member: Me }) {
  usePageTitle(t`New accounts`);
  const { search } = useLocation();
  const status = applicationStatus.catch('waiting').parse(new URLSearchParams(search).get('status'));
  const client = useQueryClient();
  const query = useInfiniteQuery(applicationsQuery(status));
  const [refusing, setRefusing] = useState<{ item: Application; takeOver: boolean } | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: applicationKeys.all });
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  useShortcuts({ approve: () => clickButton('approve'), reject: () => clickButton('refuse') });
  const { refusal, endClaim } = useReviewClaim(
    refusing === null ? null : { id: refusing.item.id, takeOver: refusing.takeOver },
    claims,
  );
  const decide = useMutation({
    mutationFn: ({ id, ...decision }: { id: number; decision: 'approve' | 'refuse'; reason: string }) =>
      decideApplication(id, decision),
    onSettled: refresh,
  });
  const approve = (id: number) =>
    decide.mutate(
      { id, decision: 'approve', reason: '' },
      { onSuccess: () => toast(t`Account approved`), onError: (error) => toastError(error.message) },
    );

  async function refuse({ id }: Application, reason: string) {
    await decide.mutateAsync({ id, decision: 'refuse', reason });
    endClaim();
    setRefusing(null);
  }

  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`New accounts`}</PageHeading>
        <div className={pageClasses.buttons}>
          <ModerationMenu />
        </div>
      </div>
      <TabLinks label={t`New accounts`} tabs={useTabs()} current={status}>
        <div className={classes.apart}>
          <PagedList
            key={status}
            query={query}
            noun="results"
            keyOf={(item) => item.id}
            pending={null}
            empty={<NoApplications status={status} />}
          >
            {(items: readonly Application[]) => (
              <>
                {status === 'waiting' && (
                  <p className={classes.keys}>
                    {t`Press j or k to move between accounts, a to approve one and r to refuse it.`}
                  </p>
                )}
                <ul className={classes.list}>
                  {items.map((item) => (
                    <li key={item.id}>
                      <ApplicationCard
                        item={item}
                        claimedBy={getOtherClaim(item, memberId)}
                        isSaving={decide.isPending && decide.variables.id === item.id}
                        onApprove={() => approve(item.id)}
                        onRefuse={() =>
                          setRefusing({ item, takeOver: getOtherClaim(item, memberId) !== null })
                        }
                      />
                    </li>
                  ))}
                </ul>
              </>
            )}
          </PagedList>
        </div>
      </TabLinks>
      {refusing !== null && (
        <RefuseDialog
          name={refusing.item.displayName}
          refusal={refusal}
          act={(reason) => refuse(refusing.item, reason)}
          onClose={() => setRefusing(null)}
        />
      )}
    </>
  );
}

function RefuseDialog({
  name,
  refusal,
  act,
  onClose,
}: {
  name: string;
  refusal: string | null;
  act: (reason: string) => Promise<void>;
  onClose: () => void;
}) {
  return (
    <Dialog title={t`Refuse the account of ${name}?`} opened onClose={onClose}>
      <ReasonForm
        submit={t`Refuse`}
        isRed
        label={t`Reason (for the applicant)`}
        done={t`Account refused`}
        refusal={refusal}
        act={act}
        onCancel={onClose}
      >
        <p className={classes.quiet}>
          {t`The applicant gets the reason by email and can still sign in to see it. You can approve the account later.`}
        </p>
      </ReasonForm>
    </Dialog>
  );
}

function NoApplications({ status }: { status: ApplicationStatus }) {
  return status === 'waiting' ? (
    <EmptyState
      title={t`No account is waiting`}
      text={t`Accounts that need approval show up here. Admins choose in the site settings who may join.`}
    />
  ) : (
    <EmptyState
      title={t`No account was refused`}
      text={t`Accounts that you refuse show up here and can still be approved.`}
    />
  );
}

function useTabs(): readonly TabLink<ApplicationStatus>[] {
  const waiting = useQuery(applicationCountQuery).data?.waiting ?? 0;
  const shown = waiting === maxReviewCount ? `${maxReviewCount}+` : String(waiting);
  return [
    {
      key: 'waiting',
      label: waiting === 0 ? t`Waiting` : t`Waiting (${shown})`,
      href: paths.applications,
    },
    { key: 'refused', label: t`Refused`, href: `${paths.applications}?status=refused` },
  ];
}

/** The name of another moderator who works on the account, null if no one does. */
const getOtherClaim = ({ claim }: Application, memberId: number): string | null =>
  claim === null || claim.memberId === memberId ? null : claim.name;

/** Presses a button of the focused card. */
function clickButton(name: 'approve' | 'refuse'): void {
  const card = document.activeElement?.closest('[data-application]');
  card?.querySelector<HTMLButtonElement>(`[data-decision="${name}"]`)?.click();
}
