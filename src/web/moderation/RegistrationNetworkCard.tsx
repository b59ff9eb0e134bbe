import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { RegisteredAccount, RegistrationNetwork } from '#shared/moderation/removals.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import fields from '#web/ui/fields.module.css';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { describeActivity, registeredAccountsQuery } from './removals.ts';
import classes from './moderation.module.css';

/** The accounts that registered from one network, which can be selected. */
export function RegistrationNetworkCard({
  of,
  hours,
  selected,
  onSelect,
  onRemove,
  children,
}: {
  of: RegistrationNetwork;
  hours: number;
  selected: ReadonlyMap<number, RegisteredAccount>;
  onSelect: (accounts: readonly RegisteredAccount[], isSelected: boolean) => void;
  /** Removes all accounts of the network in the time span. Undefined if the network is not stored. */
  onRemove?: (() => void) | undefined;
  /** The actions on the selected accounts. */
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const listId = useId();
  const name = of.network ?? t`Network no longer stored`;
  return (
    <article className={classes.card} aria-label={name}>
      <div className={classes.head}>
        <bdi className={classes.strong}>{name}</bdi>
        <span>{plural(of.accounts, { one: '# account', other: '# accounts' })}</span>
        {of.pendingAccounts > 0 && (
          <span className={classes.badge}>
            {plural(of.pendingAccounts, { one: '# pending approval', other: '# pending approval' })}
          </span>
        )}
        <Time at={of.latestAt} />
      </div>
      <div className={classes.buttons}>
        <Button
          variant="default"
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? t`Hide accounts` : t`Show accounts`}
        </Button>
        {onRemove !== undefined && (
          <Button variant="default" onClick={onRemove}>{t`Remove all activity`}</Button>
        )}
      </div>
      <div id={listId} hidden={!isOpen}>
        {isOpen && (
          <>
            <AccountList network={of.network} hours={hours} selected={selected} onSelect={onSelect} />
            {children}
          </>
        )}
      </div>
    </article>
  );
}

function AccountList({
  network,
  hours,
  selected,
  onSelect,
}: {
  network: string | null;
  hours: number;
  selected: ReadonlyMap<number, RegisteredAccount>;
  onSelect: (accounts: readonly RegisteredAccount[], isSelected: boolean) => void;
}) {
  const query = useInfiniteQuery(registeredAccountsQuery(network, hours));
  return (
    <PagedList query={query} noun="results" keyOf={({ id }) => id} pending={null} empty={null}>
      {(accounts) => {
        const selectable = accounts.filter(isSelectable);
        return (
          <ul className={classes.accounts}>
            <li>
              <label className={classes.account}>
                <input
                  type="checkbox"
                  className={fields.checkbox}
                  checked={selectable.length > 0 && selectable.every(({ id }) => selected.has(id))}
                  disabled={selectable.length === 0}
                  onChange={(event) => onSelect(selectable, event.currentTarget.checked)}
                />
                <span className={classes.strong}>{t`Select all shown`}</span>
              </label>
            </li>
            {accounts.map((account) => (
              <li key={account.id}>
                <AccountItem
                  account={account}
                  isSelected={selected.has(account.id)}
                  onSelect={(isSelected) => onSelect([account], isSelected)}
                />
              </li>
            ))}
          </ul>
        );
      }}
    </PagedList>
  );
}

const isSelectable = ({ isModerator, isRemoved, pendingStep }: RegisteredAccount) =>
  !isModerator && (!isRemoved || pendingStep !== null);

function AccountItem({
  account,
  isSelected,
  onSelect,
}: {
  account: RegisteredAccount;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}) {
  return (
    <div className={classes.account}>
      <label className={classes.account}>
        <input
          type="checkbox"
          className={fields.checkbox}
          checked={isSelected}
          disabled={!isSelectable(account)}
          onChange={(event) => onSelect(event.currentTarget.checked)}
        />
        <bdi>{account.displayName}</bdi>
      </label>
      <span className={classes.quiet}>{describeActivity(account)}</span>
      <span className={classes.quiet}>
        <Time at={account.registeredAt} />
      </span>
      {account.pendingStep !== null && <span className={classes.badge}>{t`Pending approval`}</span>}
      {account.isModerator && <span className={classes.quiet}>{t`Moderator`}</span>}
      {account.isRemoved && <span className={classes.quiet}>{t`Activity removed`}</span>}
      <Link href={moderatedMemberPath(account.id)}>{t`About this member`}</Link>
    </div>
  );
}
