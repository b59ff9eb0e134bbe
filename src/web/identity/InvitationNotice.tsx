import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '#web/core/router.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { useSiteName } from '#web/core/session.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { openInvitationQuery } from './sign-in.ts';
import classes from './auth-pages.module.css';

/** The token of the invitation in the address `/register#invitation=…`; undefined without one. */
export function useInvitationToken(): string | undefined {
  const { hash } = useLocation();
  // The server does not know the hash.
  if (useIsHydrating()) return undefined;
  return new URLSearchParams(hash).get('invitation')?.slice(0, 100);
}

/** Who invites the visitor, or why the link does not work. */
export function InvitationNotice({ token }: { token: string }) {
  const siteName = useSiteName();
  const { data, error } = useQuery(openInvitationQuery(token));
  if (error !== null) return <FormError message={error.message} />;
  if (data === undefined) return null;
  const { inviterName } = data;
  return (
    <p className={classes.notice} dir="auto">
      <Trans>
        <bdi>{inviterName}</bdi> invites you to join {siteName}.
      </Trans>
    </p>
  );
}
