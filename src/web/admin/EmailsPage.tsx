import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, usePageSearch } from '#web/core/router.ts';
import { useState } from 'react';
import type { EmailKind, EmailOverview, TestEmailOutcome } from '#shared/admin/emails.ts';
import { isLanguage, type Language, languageNames, languages } from '#shared/core/languages.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { useLanguage } from '#web/languages/languages.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { Time } from '#web/ui/Time.tsx';
import {
  emailHtmlPath,
  emailOverviewQuery,
  emailSampleQuery,
  type EmailTheme,
  type EmailView,
  sendTestEmail,
} from './emails.ts';
import page from '#web/ui/page.module.css';
import { AdminMenu } from './AdminMenu.tsx';
import admin from './admin.module.css';
import classes from './emails.module.css';

/** Without `language`, that of the interface. The page knows the kinds of emails: their schema would load zod here. */
const parseEmailsSearch = ({
  kind,
  language,
}: Record<string, unknown>): { kind?: string | undefined; language?: Language | undefined } => ({
  kind: typeof kind === 'string' ? kind : undefined,
  language: typeof language === 'string' && isLanguage(language) ? language : undefined,
});

/** All emails of the site, for admins. */
export function EmailsPage() {
  usePageTitle(t`Emails`);
  const active = useLanguage();
  const own: Language = isLanguage(active) ? active : 'en';
  const query = useQuery(emailOverviewQuery(own));
  const { data: overview } = query;
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Emails`}</PageHeading>
        <AdminMenu />
      </div>
      {query.isError && overview === undefined && (
        <LoadError text={t`The emails could not be loaded.`} query={query} />
      )}
      {overview !== undefined && (
        <>
          <EmailState overview={overview} />
          <Preview overview={overview} own={own} />
        </>
      )}
    </>
  );
}

function EmailState({
  overview: { sender, bounceAddress, replyAddress, membersOff, failures },
}: {
  overview: EmailOverview;
}) {
  return (
    <>
      {sender === null ? (
        <p className={admin.intro}>
          {t`Email isn't set up on this site. The configuration of the server needs SMTP_URL, EMAIL_FROM and PUBLIC_URL.`}
        </p>
      ) : (
        <dl className={classes.state}>
          <div>
            <dt>{t`Sender`}</dt>
            <dd dir="ltr">{sender}</dd>
          </div>
          <div>
            <dt>{t`Address for bounces`}</dt>
            <dd dir="ltr">{bounceAddress ?? t`None`}</dd>
          </div>
          <div>
            <dt>{t`Address for replies`}</dt>
            <dd dir="ltr">{replyAddress ?? t`None`}</dd>
          </div>
          <div>
            <dt>{t`Members whose emails are off after bounces`}</dt>
            <dd>{membersOff}</dd>
          </div>
        </dl>
      )}
      {failures.length > 0 && (
        <section className={admin.section} aria-labelledby="email-failures">
          <h2 id="email-failures">{t`Failed attempts of the last days`}</h2>
          <ul className={classes.failures}>
            {failures.map(({ reason, failures: count, lastAt }) => (
              <li key={`${lastAt} ${reason}`}>
                <span>
                  <Time at={lastAt} />
                </span>
                <span>{describeReason(reason)}</span>
                <span className={classes.count}>{t`${count}×`}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** A reply code of SMTP, or an error of the connection. */
function describeReason(reason: string): string {
  if (/^5\d\d$/u.test(reason)) return t`Refused by the mail server (${reason})`;
  if (/^4\d\d$/u.test(reason)) return t`Postponed by the mail server (${reason})`;
  if (reason === 'EAUTH') return t`The mail server refused the user or the password`;
  return t`No connection to the mail server (${reason})`;
}

function Preview({ overview: { kinds, sender }, own }: { overview: EmailOverview; own: Language }) {
  const { kind: wanted, language = own } = usePageSearch(parseEmailsSearch);
  const kind = kinds.find((each) => each.kind === wanted)?.kind ?? 'confirmation';
  const router = useRouter();
  const [shown, setShown] = useState<EmailTheme | 'text'>('light');
  const view = { kind, language };
  const sample = useQuery({ ...emailSampleQuery(view), placeholderData: keepPreviousData });
  const open = (change: Partial<EmailView>) =>
    void router.navigate(paths.emails + stringifySearch({ ...view, ...change }), {
      replace: true,
      resetScroll: false,
    });
  return (
    <section className={admin.section} aria-labelledby="email-preview">
      <h2 id="email-preview">{t`Preview with sample data`}</h2>
      <div className={classes.choices}>
        <FormSelect<EmailKind>
          label={t`Email`}
          options={kinds.map((each) => [each.kind, each.subject])}
          value={kind}
          onChange={(chosen) => open({ kind: chosen })}
        />
        <FormSelect
          label={t`Language`}
          options={languages.map((each) => [each, languageNames[each]])}
          value={language}
          onChange={(chosen) => open({ language: chosen })}
        />
        <FormSelect<EmailTheme | 'text'>
          label={t`Show`}
          options={[
            ['light', t`HTML, light`],
            ['dark', t`HTML, dark`],
            ['text', t`Text`],
          ]}
          value={shown}
          onChange={setShown}
        />
      </div>
      <p className={classes.subject} lang={language} dir="auto">
        {sample.data?.subject ?? ' '}
      </p>
      {shown === 'text' ? (
        <pre className={classes.text} lang={language} dir="auto">
          {sample.data?.text}
        </pre>
      ) : (
        <iframe
          className={classes.frame}
          data-shown={shown}
          title={t`Preview of the email`}
          sandbox=""
          src={emailHtmlPath(view, shown)}
        />
      )}
      {sender !== null && <TestEmail key={`${kind} ${language}`} view={view} />}
    </section>
  );
}

function TestEmail({ view }: { view: EmailView }) {
  const send = useMutation({ mutationFn: () => sendTestEmail(view) });
  const { data: result, error } = send;
  return (
    <div className={classes.test}>
      <div>
        <Button loading={send.isPending} onClick={() => send.mutate()}>{t`Send a test email to me`}</Button>
      </div>
      <output>
        {result !== undefined && (
          <>
            {describeOutcome(result.outcome)}
            <span className={classes.answer} dir="ltr">
              {result.answer}
            </span>
          </>
        )}
      </output>
      <FormError message={error?.message ?? null} />
    </div>
  );
}

function describeOutcome(outcome: TestEmailOutcome['outcome']): string {
  switch (outcome) {
    case 'accepted':
      return t`The mail server has accepted the email. It should arrive within minutes. Its answer:`;
    case 'refused':
      return t`The mail server has refused the email. Its answer:`;
    case 'signed-out':
      return t`The mail server has refused the user or the password of SMTP_URL. Its answer:`;
    case 'no-tls':
      return t`The encrypted connection to the mail server failed. The error:`;
    case 'unreachable':
      return t`The mail server could not be reached. The error:`;
  }
}
