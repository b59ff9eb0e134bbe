import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { toast } from '#web/core/toast.ts';
import { ConfirmPasswordDialog } from '#web/identity/index.ts';
import { resetSignInFactors } from './account-merges.ts';
import classes from './moderation.module.css';

const MergeAccountDialog = lazyComponent(() => import('./MergeAccountDialog.tsx'));

/** What admins can do with the account of a member. */
export function AccountActions({ member }: { member: ModeratedMember }) {
  const client = useQueryClient();
  const [isResetting, setIsResetting] = useState(false);
  const [isMerging, setIsMerging] = useState(false);
  const { id, displayName, role, signInMethods } = member;
  const canReset = role !== 'admin' && (signInMethods.twoFactor || signInMethods.passkeys > 0);
  const canMerge = role === 'member' && member.merge === null;
  if (!canReset && !canMerge) return null;
  return (
    <section className={classes.part} aria-label={t`Account`}>
      <h2 className={classes.section}>{t`Account`}</h2>
      <div className={classes.start}>
        {canReset && (
          <Button variant="default" onClick={() => setIsResetting(true)}>
            {t`Reset two-factor authentication`}
          </Button>
        )}
        {canMerge && (
          <Button variant="default" onClick={() => setIsMerging(true)}>
            {t`Merge into another account`}
          </Button>
        )}
      </div>
      <ConfirmPasswordDialog
        title={t`Reset two-factor authentication`}
        opened={isResetting}
        submitLabel={t`Reset`}
        text={t`Only for a member who lost their device, and whose identity you have checked: ${displayName}. This turns off two-factor authentication, removes all passkeys and signs the member out everywhere. The member gets an email.`}
        run={(password) => resetSignInFactors(client, id, password)}
        errorMessage={(error) => error.message}
        onDone={({ hasPassword }) => {
          setIsResetting(false);
          toast(
            hasPassword
              ? t`Saved to the moderation log`
              : t`Reset. The member has no password and needs to set one with “Forgot password?”.`,
          );
        }}
        onClose={() => setIsResetting(false)}
      />
      {isMerging && (
        <Suspense>
          <MergeAccountDialog member={member} onClose={() => setIsMerging(false)} />
        </Suspense>
      )}
    </section>
  );
}
