import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useLocation } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { closeSignInPrompt, readRememberedControl, type SignInReason } from '#web/core/sign-in-prompt.ts';
import { translateError } from '#web/core/errors.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { useCachedSession } from '#web/core/session.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import classes from './SignInDialog.module.css';

const titles: Readonly<Record<SignInReason, () => string>> = {
  act: () => t`Log in to continue`,
  answer: () => t`Log in to post your answer`,
  ask: () => t`Log in to ask a question`,
  bookmark: () => t`Log in to bookmark`,
  follow: () => t`Log in to follow`,
  reply: () => t`Log in to reply`,
  report: () => t`Log in to report`,
  vote: () => t`Log in to vote`,
};

/** A later sign-in has nothing to do with the control. */
function cancel() {
  readRememberedControl()?.forget();
  closeSignInPrompt();
}

/** Where a visitor would act: leads to the sign-in and back to this place. */
export default function SignInDialog({ reason, opened }: { reason: SignInReason; opened: boolean }) {
  const { href } = useLocation();
  const status = useCachedSession()?.account?.status;
  const next = reason === 'ask' ? paths.ask : href;
  const link = (path: string) => (props: object) => (
    <Link href={path + stringifySearch({ next })} {...props} onClick={closeSignInPrompt} />
  );
  if (status !== undefined)
    return (
      <Dialog
        title={translateError(status === 'refused' ? 'application-refused' : 'application-waiting')}
        opened={opened}
        onClose={cancel}
        size="24rem"
      >
        <div className={classes.buttons}>
          <Button
            data-autofocus
            renderRoot={(props) => <Link href={paths.application} {...props} onClick={closeSignInPrompt} />}
          >
            {t`Your account`}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={titles[reason]()} opened={opened} onClose={cancel} size="24rem">
      <p className={classes.text}>
        {reason === 'ask'
          ? t`Reading is open to everyone. Asking needs an account.`
          : t`You will come back to this place.`}
        {(reason === 'answer' || reason === 'act') && ` ${t`What you have typed is saved in this browser.`}`}
      </p>
      <div className={classes.buttons}>
        <Button data-autofocus renderRoot={link('/login')}>
          {t`Log in`}
        </Button>
        <Button variant="default" renderRoot={link('/register')}>
          {t`Sign up`}
        </Button>
      </div>
    </Dialog>
  );
}
