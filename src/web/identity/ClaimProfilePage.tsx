import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParam } from '#web/core/router.ts';
import { type FormEvent, useState } from 'react';
import type { ClaimProof, ProfileClaim } from '#shared/admin/profile-claims.ts';
import { hasStatus, translateError } from '#web/core/errors.ts';
import { formatDate } from '#web/core/format.ts';
import { profilePath } from '#web/core/paths.ts';
import { copyWithToast } from '#web/ui/copy-with-toast.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { MessagePage } from '#web/ui/MessagePage.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { ButtonLink, Link } from '#web/ui/Link.tsx';
import classes from './ClaimProfilePage.module.css';
import {
  askModerators,
  beginClaim,
  claimByIdentity,
  profileClaimQuery,
  proveClaim,
  withdrawClaim,
} from './profile-claims.ts';
import { parseMemberId } from './profiles.ts';

/** Where a member claims the profile that an import made of their account on another site. */
export function ClaimProfilePage() {
  const userId = useParam('userId');
  const id = parseMemberId(userId);
  return id === null ? <NotClaimable /> : <Claim key={id} id={id} />;
}

function NotClaimable() {
  usePageTitle(translateError('claim-not-possible'));
  return (
    <MessagePage
      heading={translateError('claim-not-possible')}
      text={t`It belongs to a member here, or was claimed already.`}
    />
  );
}

function Claim({ id }: { id: number }) {
  usePageTitle(t`Claim a profile`);
  const query = useQuery(profileClaimQuery(id));
  const [isClaimed, setClaimed] = useState(false);
  if (isClaimed) return <Claimed />;
  if (hasStatus(query.error, 404)) return <NotClaimable />;
  const claim = query.data;
  if (claim === undefined)
    return query.isError ? <LoadError text={t`The page could not be loaded.`} query={query} /> : null;
  const { displayName: name, site } = claim;
  return (
    <div className={classes.page}>
      <PageHeading>{t`Claim a profile`}</PageHeading>
      <p>
        <Trans>
          If <Link href={profilePath(id)}>{name}</Link> is you on {site}, the posts and the reputation of this
          profile can become yours. The source of each post stays visible.
        </Trans>
      </p>
      {claim.identityProvider !== null && (
        <IdentitySection claim={claim} provider={claim.identityProvider} onClaimed={() => setClaimed(true)} />
      )}
      <ProofSection claim={claim} onClaimed={() => setClaimed(true)} />
      <RequestSection claim={claim} />
    </div>
  );
}

function Claimed() {
  return (
    <MessagePage
      heading={t`This profile is yours now`}
      text={t`Its posts move to your account within some minutes.`}
    >
      <ButtonLink href="/profile">{t`Your Profile`}</ButtonLink>
    </MessagePage>
  );
}

/** A stable function, which React calls once. The button that had the focus is gone. */
const focusOnMount = (button: HTMLButtonElement | null) => button?.focus();

/** The member has linked the account at a sign-in provider that the old profile had. */
function IdentitySection({
  claim: { profileId: id, site },
  provider,
  onClaimed,
}: {
  claim: ProfileClaim;
  provider: string;
  onClaimed: () => void;
}) {
  const client = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const claim = useMutation({
    mutationFn: () => claimByIdentity(id),
    onSuccess: ({ outcome }) =>
      outcome === 'claimed'
        ? onClaimed()
        : client.invalidateQueries({ queryKey: profileClaimQuery(id).queryKey }),
  });
  return (
    <section className={classes.section} aria-labelledby="identity">
      <h2 id="identity">{t`With your account at ${provider}`}</h2>
      <p>{t`The profile on ${site} had the same account at ${provider} that you sign in with here. No other proof is needed.`}</p>
      {confirming ? (
        <>
          <p>{t`Its posts and reputation move to your account, permanently. Your name here stays.`}</p>
          <div className={classes.buttons}>
            <Button variant="default" ref={focusOnMount} onClick={() => setConfirming(false)}>
              {t`Cancel`}
            </Button>
            <Button loading={claim.isPending} onClick={() => claim.mutate()}>{t`Claim the profile`}</Button>
          </div>
        </>
      ) : (
        <Button onClick={() => setConfirming(true)}>{t`Claim the profile …`}</Button>
      )}
      <FormError message={claim.error?.message ?? null} />
    </section>
  );
}

function ProofSection({ claim, onClaimed }: { claim: ProfileClaim; onClaimed: () => void }) {
  const { profileId: id, site, token, tokenExpiresAt, profileUrl } = claim;
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: profileClaimQuery(id).queryKey });
  const begin = useMutation({ mutationFn: () => beginClaim(id), onSettled: refresh });
  const prove = useMutation({
    mutationFn: () => proveClaim(id),
    onSuccess: ({ outcome }) => (outcome === 'claimed' ? onClaimed() : undefined),
  });
  const until = tokenExpiresAt === null ? '' : formatDate(tokenExpiresAt);
  const problem = begin.error ?? prove.error;
  const outcome = prove.data?.outcome;
  return (
    <section className={classes.section} aria-labelledby="proof">
      <h2 id="proof">{t`With a text in your old profile`}</h2>
      {token === null ? (
        <>
          <p>{t`You get a text, put it into your profile on ${site}, and we look for it there.`}</p>
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>{t`Get the text`}</Button>
        </>
      ) : (
        <>
          <ol className={classes.steps}>
            <li>
              <p>{t`Copy this text:`}</p>
              <div className={classes.token}>
                <code>{token}</code>
                <Button variant="default" onClick={() => void copyWithToast(token)}>{t`Copy`}</Button>
              </div>
            </li>
            <li>
              <Trans>
                Put it into the text about you in{' '}
                <a href={profileUrl} rel="nofollow ugc noopener" target="_blank">
                  your profile on {site}
                </a>{' '}
                and save it there. Everyone can read it; you can remove it afterwards.
              </Trans>
            </li>
            <li>{t`Come back and check. The text is valid until ${until}.`}</li>
          </ol>
          <Button loading={prove.isPending} onClick={() => prove.mutate()}>{t`Check now`}</Button>
        </>
      )}
      <FormError
        message={problem?.message ?? (outcome === undefined ? null : describeOutcome(outcome, site))}
      />
    </section>
  );
}

function describeOutcome(outcome: ClaimProof['outcome'], site: string): string | null {
  return {
    claimed: null,
    'token-missing': t`Your profile on ${site} does not show the text yet. Sites can take some minutes to show a change.`,
    unreachable: t`${site} did not respond with your profile. Try again later, or ask the moderators.`,
    refused: t`${site} is not on the public internet. Ask the moderators.`,
  }[outcome];
}

const maxRequestLength = 500;

function RequestSection({ claim }: { claim: ProfileClaim }) {
  const { profileId: id, request, declineReason } = claim;
  const reason = declineReason ?? '';
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: profileClaimQuery(id).queryKey });
  const [message, setMessage] = useState('');
  const ask = useMutation({ mutationFn: () => askModerators(id, message.trim()), onSettled: refresh });
  const withdraw = useMutation({ mutationFn: () => withdrawClaim(id), onSettled: refresh });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!ask.isPending) ask.mutate();
  }
  return (
    <section className={classes.section} aria-labelledby="request">
      <h2 id="request">{t`With the help of the moderators`}</h2>
      {request === 'waiting' ? (
        <>
          <p>{t`The moderators have your request. This page shows what they decide.`}</p>
          <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
            {t`Withdraw request`}
          </Button>
        </>
      ) : (
        <form className={classes.form} noValidate onSubmit={submit}>
          {request === 'declined' && <p dir="auto">{t`The moderators declined your request: ${reason}`}</p>}
          <div>
            <Textarea
              label={t`How can they know that it is you?`}
              value={message}
              autosize
              minRows={3}
              dir="auto"
              onChange={(event) => setMessage(event.currentTarget.value)}
            />
            <CharacterCounter text={message} max={maxRequestLength} />
          </div>
          <Button type="submit" variant="default" loading={ask.isPending}>{t`Ask the moderators`}</Button>
        </form>
      )}
      <FormError message={(ask.error ?? withdraw.error)?.message ?? null} />
    </section>
  );
}
