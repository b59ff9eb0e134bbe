import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { passwordSignInQuery } from './sign-in.ts';
import classes from './admin.module.css';

/** Says who can no longer sign in once passwords are off. */
export function PasswordSignInDialog({ onConfirm, onClose }: { onConfirm: () => void; onClose: () => void }) {
  const query = useQuery(passwordSignInQuery);
  const members = query.data?.membersWithPasswordOnly;
  return (
    <ConfirmDialog
      title={t`Switch off password sign-in`}
      opened
      text={t`Nobody can register or sign in with a password, or reset one. Sessions continue.`}
      label={t`Switch off`}
      busy={false}
      disabled={members === undefined}
      onConfirm={onConfirm}
      onCancel={onClose}
    >
      {query.isError && members === undefined ? (
        <LoadError text={t`The members could not be counted.`} query={query} />
      ) : (
        <p className={classes.intro}>
          <output>
            {members === undefined
              ? t`Counting members …`
              : plural(members, {
                  one: '# member has only a password and cannot sign in again until they have another way.',
                  other:
                    '# members have only a password and cannot sign in again until they have another way.',
                })}
          </output>
        </p>
      )}
    </ConfirmDialog>
  );
}
