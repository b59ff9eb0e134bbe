import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { api, readJson } from '#web/platform/api.ts';
import { sessionQuery, setSession } from '#web/platform/session.ts';
import { EmailLinkPage } from './mail-link.tsx';

/** What the link in the mail to a new address opens. */
export function NewEmailPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => readJson(api.mail.address.$post({ json: { token } })),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <EmailLinkPage
      heading={t`Use this address`}
      text={
        confirm.isSuccess
          ? t`This is your address now. You sign in with it.`
          : t`Was it you who wants to use this address on Parley?`
      }
      action={t`Use this address`}
      {...confirm}
      onClick={() => confirm.mutate()}
    >
      <Link to="/settings" search={{ tab: 'account' }}>{t`Settings`}</Link>
    </EmailLinkPage>
  );
}

/** What the link in the mail to the old address opens. */
export function RevertEmailPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const client = useQueryClient();
  const revert = useMutation({
    mutationFn: () => readJson(api.mail['old-address'].$post({ json: { token } })),
    onSuccess: () => setSession(client, { member: null, hasSignedOut: true }),
  });
  return (
    <EmailLinkPage
      heading={t`Take your address back`}
      text={
        revert.isSuccess
          ? t`Your address is back, and everybody is signed out. We have mailed you a link that sets a new password.`
          : t`This makes it the address of your account again, and signs the account out everywhere. The password works no more.`
      }
      action={t`Take my address back`}
      {...revert}
      onClick={() => revert.mutate()}
    >
      <Link to="/forgot-password">{t`Forgot password?`}</Link>
    </EmailLinkPage>
  );
}
