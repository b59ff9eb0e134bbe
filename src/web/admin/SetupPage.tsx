import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { useState } from 'react';
import type { SettingValues } from '#shared/core/setting-catalogue.ts';
import { isLanguage, type Language, languageNames, languages } from '#shared/core/languages.ts';
import { findRegistrationProblem } from '#shared/identity/accounts.ts';
import { joiningOptions } from '#shared/identity/sign-in-providers.ts';
import { api, readJson } from '#web/core/api.ts';
import { ApiError, translateCodedError, translateError } from '#web/core/errors.ts';
import { sessionQuery, useMember } from '#web/core/session.ts';
import { optionLabel, settingLabel } from '#web/core/setting-texts.ts';
import { toast } from '#web/core/toast.ts';
import {
  AccountForm,
  completeSignIn,
  PasswordField,
  PasswordStrength,
  setupStateQuery,
} from '#web/identity/index.ts';
import { useLanguage } from '#web/languages/languages.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { ButtonLink } from '#web/ui/Link.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { type Problem, useFields } from '#web/ui/useFields.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';

const account = { displayName: '', email: '', password: '', confirmPassword: '' };
const empty = { siteName: '', siteDescription: '', ...account };
type Joining = SettingValues['joining'];
type Field = keyof typeof empty;

/** The target of the link that the server prints for the owner of a new community. The form sends its token. */
export function SetupPage() {
  usePageTitle(t`Set up your community`);
  const { data: state } = useQuery(setupStateQuery);
  return (
    <VisitorFrame>
      <PageHeading className={page.heading}>{t`Set up your community`}</PageHeading>
      {state?.completed === true ? (
        <>
          <p className={classes.intro}>{translateError('setup-completed')}</p>
          <ButtonLink href="/">{t`Go to the home page`}</ButtonLink>
        </>
      ) : (
        <SetupForm />
      )}
    </VisitorFrame>
  );
}

function SetupForm() {
  const token = useLocation().hash;
  const member = useMember();
  const client = useQueryClient();
  const router = useRouter();
  const { texts, field, showProblem, formError } = useFields(useState(empty));
  const [language, setLanguage] = useState<Language>(useInterfaceLanguage());
  const [joining, setJoining] = useState<Joining>('open');
  const [reading, setReading] = useState<'everyone' | 'members'>('members');
  const setUp = useMutation({
    mutationFn: () => {
      const { siteName, siteDescription, ...owner } = texts;
      const chosen = {
        token,
        siteName,
        siteDescription,
        language,
        joining,
        publicReading: reading === 'everyone',
      };
      return readJson(api.setup.$post({ json: { ...chosen, account: member === null ? owner : null } }));
    },
    onSuccess: async (state) => {
      completeSignIn(client, state);
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      client.setQueryData(setupStateQuery.queryKey, { completed: true, isEmpty: false });
      toast(t`Your community is ready. You can change everything in the site settings.`, {
        label: t`Site settings`,
        run: () => void router.navigate('/admin/settings'),
      });
      await router.navigate('/');
    },
    onError: (error) => showProblem(toProblem(error)),
  });

  function submit() {
    const wrong = member === null ? findRegistrationProblem(texts) : null;
    if (texts.siteName.trim() === '')
      return showProblem({ field: 'siteName', message: translateError('setting-required') });
    if (wrong !== null) return showProblem({ field: wrong.field, message: translateCodedError(wrong) });
    showProblem(null);
    return setUp.mutate();
  }

  return (
    <>
      <p className={classes.intro}>
        {t`Name your community and create the account of its first admin. You can change everything later.`}
      </p>
      <AccountForm submit={t`Set up community`} busy={setUp.isPending} error={formError} onSubmit={submit}>
        <TextInput label={t`Name of the community`} dir="auto" autoComplete="off" {...field('siteName')} />
        <TextInput
          label={t`Purpose, in one sentence (optional)`}
          dir="auto"
          autoComplete="off"
          {...field('siteDescription')}
        />
        <FormSelect
          label={settingLabel('language')}
          options={languages.map((each) => [each, languageNames[each]])}
          value={language}
          onChange={setLanguage}
        />
        <FormSelect
          label={t`Who may read`}
          options={[
            ['members', t`Members only`],
            ['everyone', t`Visitors and members`],
          ]}
          value={reading}
          onChange={setReading}
        />
        <FormSelect
          label={settingLabel('joining')}
          options={joiningOptions.map((option) => [option, optionLabel('joining', option)])}
          value={joining}
          onChange={setJoining}
        />
        {member === null ? (
          <>
            <h2 className={classes.part}>{t`Your account`}</h2>
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
          </>
        ) : (
          <p
            className={classes.intro}
          >{t`You are signed in as ${member.displayName} and become the admin.`}</p>
        )}
      </AccountForm>
    </>
  );
}

/** The language of the interface, which the community probably has too. */
function useInterfaceLanguage(): Language {
  const language = useLanguage();
  return isLanguage(language) ? language : 'en';
}

/** The fields of the account have the prefix 'account.' in errors of the request. */
function toProblem(error: Error): Problem<Field> {
  if (!(error instanceof ApiError)) return { field: null, message: translateError('registration-failed') };
  for (const { field, message } of error.errors) {
    const name = field.replace(/^account\./u, '');
    if (name in empty) return { field: name as Field, message };
  }
  return { field: error.kind === 'email-taken' ? 'email' : null, message: error.message };
}
