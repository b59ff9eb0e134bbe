import { plural, t } from '@lingui/core/macro';
import type { Me } from '#shared/identity/accounts.ts';
import { Button } from '#web/ui/Button.tsx';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClaimDecision, RequestedClaim } from '#shared/admin/profile-claims.ts';
import { useLive } from '#web/core/live.ts';
import { moderatedMemberPath, profilePath } from '#web/core/paths.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import pageClasses from '#web/ui/page.module.css';
import { claimKeys, claimsQuery, decideClaim } from './claims.ts';
import { ModerationMenu } from './ModerationMenu.tsx';
import classes from './moderation.module.css';
import { ReasonForm } from './ReasonForm.tsx';

type Deciding = { claim: RequestedClaim; decision: ClaimDecision['decision'] };

/** The claims of imported profiles that wait for a moderator. */
export function ClaimsPage({ member: { id: memberId } }: { member: Me }) {
  usePageTitle(t`Claims of profiles`);
  const client = useQueryClient();
  const query = useInfiniteQuery(claimsQuery);
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: claimKeys.all });
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Claims of profiles`}</PageHeading>
        <div className={pageClasses.buttons}>
          <ModerationMenu />
        </div>
      </div>
      <p className={classes.quiet}>
        {t`These members say that an imported profile is theirs. If you approve, its posts and reputation move to their account, permanently.`}
      </p>
      <div className={classes.apart}>
        <PagedList
          query={query}
          noun="results"
          keyOf={(claim) => claim.id}
          pending={null}
          empty={
            <EmptyState title={t`No claims`} text={t`Members can claim an imported profile from its page.`} />
          }
        >
          {(claims: readonly RequestedClaim[]) => (
            <ul className={classes.list}>
              {claims.map((claim) => (
                <li key={claim.id}>
                  <ClaimCard claim={claim} isOwn={claim.memberId === memberId} onDecide={setDeciding} />
                </li>
              ))}
            </ul>
          )}
        </PagedList>
      </div>
      {deciding !== null && (
        <DecisionDialog
          {...deciding}
          onClose={() => setDeciding(null)}
          onDecided={() => {
            setDeciding(null);
            refresh();
          }}
        />
      )}
    </>
  );
}

function ClaimCard({
  claim,
  isOwn,
  onDecide,
}: {
  claim: RequestedClaim;
  isOwn: boolean;
  onDecide: (deciding: Deciding) => void;
}) {
  const { memberName, profileName, profileUrl, posts } = claim;
  return (
    <article className={classes.card} aria-label={t`Claim of ${memberName}`} tabIndex={-1} data-shortcut-stop>
      <div className={classes.head}>
        <Link href={moderatedMemberPath(claim.memberId)}>
          <bdi className={classes.strong}>{memberName}</bdi>
        </Link>
        <span className={classes.quiet}>
          <Time at={claim.requestedAt} />
        </span>
      </div>
      <p>
        {t`Claims the profile`}{' '}
        <Link href={profilePath(claim.profileId)}>
          <bdi>{profileName}</bdi>
        </Link>
        {' · '}
        {plural(posts, { one: '# post', other: '# posts' })}
        {' · '}
        <a href={profileUrl} rel="nofollow ugc noopener" target="_blank">
          {URL.parse(profileUrl)?.host ?? profileUrl}
        </a>
      </p>
      <p dir="auto">{claim.message}</p>
      {isOwn ? (
        <p className={classes.note}>{t`Another moderator has to decide about your claim.`}</p>
      ) : (
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => onDecide({ claim, decision: 'decline' })}>
            {t`Decline`}
          </Button>
          <Button onClick={() => onDecide({ claim, decision: 'approve' })}>{t`Approve`}</Button>
        </div>
      )}
    </article>
  );
}

function DecisionDialog({
  claim,
  decision,
  onClose,
  onDecided,
}: Deciding & { onClose: () => void; onDecided: () => void }) {
  const { memberName, profileName } = claim;
  const approves = decision === 'approve';
  return (
    <Dialog
      title={
        approves
          ? t`Give the profile ${profileName} to ${memberName}?`
          : t`Decline the claim of ${memberName}?`
      }
      opened
      onClose={onClose}
    >
      {approves && <p className={classes.quiet}>{t`This cannot be undone.`}</p>}
      <ReasonForm
        submit={approves ? t`Approve` : t`Decline`}
        act={async (reason) => {
          await decideClaim(claim.id, { decision, reason });
          onDecided();
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
