import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { findRegistrationProblem, type RegistrationProblem } from '#shared/identity/accounts.ts';
import { AccountForm } from './AccountForm.tsx';
import { InvitationNotice, useInvitationToken } from './InvitationNotice.tsx';
import { ProviderButtons } from './ProviderButtons.tsx';
import { signInMethodsQuery, useRegister } from './sign-in.ts';
import { PasswordField, PasswordStrength } from './PasswordField.tsx';
import { SignUpQuestionFields, useSignUpAnswers } from './SignUpQuestionFields.tsx';
import { useTypedState } from './useTypedState.ts';
import { ApiError, translateCodedError, translateError } from '#web/core/errors.ts';
import fieldClasses from '#web/ui/fields.module.css';
import { FormError } from '#web/ui/FormError.tsx';
import { useNextPage, useVisitorPath } from './next-page.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { RulesNote } from '#web/ui/RulesNote.tsx';
import { type Problem, useFields } from '#web/ui/useFields.ts';
import classes from './auth-pages.module.css';
import { paths } from '#web/core/paths.ts';

type Field = RegistrationProblem['field'];

const empty = { displayName: '', email: '', password: '', confirmPassword: '' };

export function RegisterPage() {
  usePageTitle(t`Create an account`);
  const next = useNextPage();
  const loginPath = useVisitorPath(paths.login);
  const { joining = 'open', passwordSignIn = true, providers = [] } = useQuery(signInMethodsQuery).data ?? {};
  const invitation = useInvitationToken();
  const refusal = getRefusal({
    joining,
    isInvited: invitation !== undefined,
    hasMethod: passwordSignIn || providers.length > 0,
  });
  return (
    <>
      <PageHeading className={classes.heading}>{t`Create an account`}</PageHeading>
      {invitation !== undefined && <InvitationNotice token={invitation} />}
      {refusal === null ? (
        <>
          {joining === 'approval' && invitation === undefined && (
            <p
              className={classes.notice}
            >{t`A moderator looks at each new account before it can read and post.`}</p>
          )}
          <RegistrationForm next={next} invitation={invitation} hasPasswords={passwordSignIn} />
        </>
      ) : (
        <p className={classes.notice}>{translateError(refusal)}</p>
      )}
      <p className={classes.other}>
        <Trans>
          Already a member? {/* With the invitation in the hash, for the way back. */}
          <Link href={loginPath} replace>
            Sign in
          </Link>
        </Trans>
      </p>
    </>
  );
}

function RegistrationForm({
  next,
  invitation,
  hasPasswords,
}: {
  next: string | undefined;
  /** The token of the invitation. */
  invitation: string | undefined;
  /** Otherwise people register with a provider only. */
  hasPasswords: boolean;
}) {
  const { texts, field, showProblem, formError } = useFields(useTypedState('registration', empty));
  const register = useRegister();
  const client = useQueryClient();
  const { emailVisibility = 'shown', signUpQuestions: questions = [] } =
    useQuery(signInMethodsQuery).data ?? {};
  const answers = useSignUpAnswers('registration', questions);
  /** Null until the visitor chooses; the site's default applies until then. */
  const [showEmail, setShowEmail] = useTypedState<boolean | null>('registration-email', null);

  function submit() {
    const wrong = findRegistrationProblem(texts);
    showProblem(wrong === null ? null : { field: wrong.field, message: translateCodedError(wrong) });
    if (wrong !== null) return;
    if (!answers.check()) return;
    const chosen = showEmail === null ? {} : { showEmail };
    register.mutate(
      { ...texts, ...chosen, invitation, signUpAnswers: answers.answers },
      {
        onError: (error) => {
          if (answers.showErrors(error)) return;
          showProblem(toProblem(error));
          // The form then has the new questions.
          if (error instanceof ApiError && error.code === 'sign-up-questions-changed')
            void client.invalidateQueries({ queryKey: signInMethodsQuery.queryKey });
        },
      },
    );
  }

  return (
    <>
      {hasPasswords ? (
        <AccountForm submit={t`Create account`} busy={register.isPending} error={formError} onSubmit={submit}>
          <TextInput label={t`Full name`} autoComplete="name" {...field('displayName')} />
          <TextInput label={t`Email`} type="email" autoComplete="email" {...field('email')} />
          <div>
            <PasswordField label={t`Password`} autoComplete="new-password" {...field('password')} />
            <PasswordStrength password={texts.password} />
          </div>
          <PasswordField
            label={t`Confirm password`}
            autoComplete="new-password"
            toggle={false}
            {...field('confirmPassword')}
          />
          <SignUpQuestionFields questions={questions} form={answers} />
          {emailVisibility !== 'never' && (
            <div>
              <label className={classes.choice}>
                <input
                  type="checkbox"
                  className={fieldClasses.checkbox}
                  checked={showEmail ?? emailVisibility === 'shown'}
                  aria-describedby="show-email-note"
                  onChange={(event) => setShowEmail(event.currentTarget.checked)}
                />
                {t`Show my email address on my profile`}
              </label>
              <p id="show-email-note" className={classes.note}>
                {t`Only signed-in members can see it, never in lists or search results. You can change this in Settings.`}
              </p>
            </div>
          )}
        </AccountForm>
      ) : (
        <FormError message={formError} />
      )}
      <RulesNote className={classes.rules} />
      <div className={classes.providers}>
        <ProviderButtons
          next={next}
          invitation={invitation}
          onProblem={(message) => showProblem(message === null ? null : { field: null, message })}
        />
      </div>
    </>
  );
}

/** Why the visitor cannot register; null if they can. */
function getRefusal({
  joining,
  isInvited,
  hasMethod,
}: {
  joining: string;
  isInvited: boolean;
  hasMethod: boolean;
}) {
  if (!hasMethod) return 'password-sign-in-disabled';
  if (joining === 'closed') return 'registration-closed';
  return joining === 'invitation' && !isInvited ? 'invitation-required' : null;
}

function toProblem(error: Error): Problem<Field> {
  if (!(error instanceof ApiError) || error.status >= 500)
    return { field: null, message: translateError('registration-failed') };
  const named = error.errors.find(({ field }) => isField(field));
  if (named !== undefined) return { field: named.field as Field, message: named.message };
  return { field: error.kind === 'email-taken' ? 'email' : null, message: error.message };
}

function isField(name: string): name is Field {
  return name in empty;
}
