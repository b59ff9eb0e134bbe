import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { SignInMethod } from '#shared/identity/accounts.ts';
import type { MemberSignIn } from '#shared/moderation/member-page.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import { formatBrowserName } from '#web/identity/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { memberSignInsQuery, networkAccountsQuery } from './member-page.ts';
import classes from './moderation.module.css';

const methodLabels: Readonly<Record<SignInMethod, () => string>> = {
  registration: () => t`Registration`,
  password: () => t`Password`,
  two_factor: () => t`Two-factor code`,
  passkey: () => t`Passkey`,
  provider: () => t`Identity provider`,
};

/** The recent sign-ins of a member, and who else signed in from the same networks. */
export function MemberSignIns({ id }: { id: number }) {
  const query = useInfiniteQuery(memberSignInsQuery(id));
  return (
    <PagedList
      query={query}
      noun="results"
      keyOf={(signIn) => signIn.id}
      pending={null}
      empty={
        <EmptyState
          title={t`No sign-ins are stored`}
          text={t`Sign-ins are deleted after the number of days in the site settings.`}
        />
      }
    >
      {(signIns) => (
        <ul className={classes.list}>
          {signIns.map((signIn) => (
            <SignInItem key={signIn.id} signIn={signIn} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function SignInItem({ signIn }: { signIn: MemberSignIn }) {
  const { network, address } = signIn;
  const [isOpen, setIsOpen] = useState(false);
  const nameId = useId();
  const listId = useId();
  return (
    <li className={classes.card} tabIndex={-1} data-shortcut-stop>
      <div className={classes.head} id={nameId}>
        <span className={classes.strong}>{methodLabels[signIn.method]()}</span>
        <Time at={signIn.at} />
        <span dir="auto">{formatBrowserName(signIn.userAgent)}</span>
        <bdi>{address ?? network ?? t`Unknown network`}</bdi>
      </div>
      {network !== null && (
        <>
          <div className={classes.start}>
            <Button
              variant="default"
              aria-expanded={isOpen}
              aria-controls={listId}
              aria-describedby={nameId}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? t`Hide other accounts` : t`Other accounts from this network`}
            </Button>
          </div>
          <div id={listId} hidden={!isOpen}>
            {isOpen && <NetworkAccounts signInId={signIn.id} network={network} />}
          </div>
        </>
      )}
    </li>
  );
}

function NetworkAccounts({ signInId, network }: { signInId: number; network: string }) {
  const query = useInfiniteQuery(networkAccountsQuery(signInId));
  return (
    <>
      <p className={classes.quiet}>
        {t`A network can belong to many people, such as a school or a mobile operator: ${network}`}
      </p>
      <PagedList
        query={query}
        noun="results"
        keyOf={(account) => account.id}
        pending={null}
        empty={<p>{t`No other account signed in from there.`}</p>}
      >
        {(accounts) => (
          <ul className={classes.accounts}>
            {accounts.map((account) => (
              <li key={account.id} className={classes.account}>
                <Avatar id={account.id} name={account.displayName} avatar={account.avatar} size={24} />
                <Link href={moderatedMemberPath(account.id)} dir="auto">
                  {account.displayName}
                </Link>
                <span className={classes.quiet}>
                  {t`Last sign-in`} <Time at={account.lastSignInAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}
