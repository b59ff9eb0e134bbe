import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import type { Application } from '#shared/moderation/applications.ts';
import { maxReviewCount } from '#shared/moderation/moderation.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { toDescriptionItems } from '#shared/identity/sign-up-questions.ts';
import { DescriptionList } from '#web/ui/DescriptionList.tsx';
import { Time } from '#web/ui/Time.tsx';
import classes from './moderation.module.css';

/** An account that waits for a moderator or was refused, and the possible decisions. */
export function ApplicationCard({
  item,
  claimedBy,
  isSaving,
  onApprove,
  onRefuse,
}: {
  item: Application;
  /** The name of another moderator who works on it. */
  claimedBy: string | null;
  isSaving: boolean;
  onApprove: () => void;
  onRefuse: () => void;
}) {
  const { displayName, refusal } = item;
  return (
    <article
      className={classes.card}
      tabIndex={-1}
      data-shortcut-stop
      data-application={item.id}
      aria-label={t`Account of ${displayName}`}
    >
      <div className={classes.head}>
        <bdi className={classes.strong}>{displayName}</bdi>
        <span className={classes.quiet}>
          <Trans>
            Registered <Time at={item.appliedAt} />
          </Trans>
        </span>
        <Link href={moderatedMemberPath(item.id)}>{t`About this member`}</Link>
      </div>
      <p className={classes.quiet}>
        <span dir="ltr">@{item.emailDomain}</span>
        {' · '}
        {item.emailConfirmed ? t`Email confirmed` : t`Email not confirmed`}
      </p>
      {item.networkAccounts > 0 && <p className={classes.note}>{describeNetwork(item.networkAccounts)}</p>}
      <DescriptionList items={toDescriptionItems(item.signUpAnswers)} />
      {refusal !== null && (
        <p className={classes.note} dir="auto">
          {describeRefusal(refusal)}
        </p>
      )}
      {claimedBy !== null && (
        <p className={classes.note}>{t`${claimedBy} is deciding about this account.`}</p>
      )}
      <div className={classes.buttons}>
        {claimedBy !== null ? (
          <Button variant="default" onClick={onRefuse}>{t`Take over and refuse`}</Button>
        ) : (
          <>
            {item.status === 'waiting' && (
              <Button variant="default" data-decision="refuse" onClick={onRefuse}>
                {t`Refuse`}
              </Button>
            )}
            <Button data-decision="approve" loading={isSaving} onClick={onApprove}>
              {t`Approve`}
            </Button>
          </>
        )}
      </div>
    </article>
  );
}

function describeRefusal({ name, reason }: NonNullable<Application['refusal']>): string {
  return name === null ? t`Refused: ${reason}` : t`Refused by ${name}: ${reason}`;
}

function describeNetwork(count: number): string {
  if (count >= maxReviewCount) return t`${count} or more other accounts registered from this network.`;
  return plural(count, {
    one: '# other account registered from this network.',
    other: '# other accounts registered from this network.',
  });
}
