import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { api, readJson } from '#web/core/api.ts';
import { translateError } from '#web/core/errors.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { emailQuery } from './settings.ts';
import classes from './account-settings.module.css';

/** Sends a signed-in member a link to set a password, because they do not know it or have none. */
export function EmailPasswordLink() {
  const { data } = useQuery(emailQuery);
  const request = useMutation({
    mutationFn: (email: string) => readJson(api['password-resets'].$post({ json: { email } })),
  });
  if (data === undefined) return null;
  const { email, isEmailEnabled, hasPassword } = data;
  const link = hasPassword
    ? t`We'll email you a link to set a new password.`
    : t`We'll email you a link to set a password.`;
  const offer = isEmailEnabled ? link : translateError('password-reset-by-email-disabled');
  return (
    <>
      <output className={classes.note}>
        {request.isSuccess
          ? t`We've sent a link to ${email}. The link works once and expires after one hour.`
          : hasPassword
            ? `${t`Forgot password?`} ${offer}`
            : offer}
      </output>
      <FormError message={request.error === null ? null : getActionErrorMessage(request.error)} />
      {isEmailEnabled && (
        <div>
          <Button variant="default" loading={request.isPending} onClick={() => request.mutate(email)}>
            {t`Send reset link`}
          </Button>
        </div>
      )}
    </>
  );
}
