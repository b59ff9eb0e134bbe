import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '#web/core/errors.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { checkIssuer, describeCheck } from './sign-in-providers.ts';
import classes from './admin.module.css';

/**
 * Reads the metadata of an issuer, and says what is wrong with it.
 * @param issuer null while it is incomplete
 * @param name of the provider, if the button stands among others of it
 */
export function IssuerCheck({ issuer, name }: { issuer: string | null; name?: string }) {
  const check = useMutation({ mutationFn: checkIssuer });
  const { data: result, error } = check;
  const isCurrent = check.variables === issuer;
  const problem =
    error instanceof ApiError ? (error.messageForField('issuer') ?? error.message) : error?.message;
  return (
    <div className={name === undefined ? classes.check : classes.checkAmongButtons}>
      <Button
        size={name === undefined ? 'sm' : 'xs'}
        variant="default"
        aria-label={name === undefined ? undefined : t`Check: ${name}`}
        loading={check.isPending}
        disabled={issuer === null || issuer === ''}
        onClick={() => issuer !== null && check.mutate(issuer)}
      >
        {t`Check`}
      </Button>
      <output className={result?.outcome === 'ok' ? undefined : classes.wrong}>
        {isCurrent && result !== undefined && describeCheck(result)}
      </output>
      {isCurrent && <FormError message={problem ?? null} />}
    </div>
  );
}
