import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { type Language, languageNames, languages } from '#shared/core/languages.ts';
import { limits } from '#shared/core/limits.ts';
import { settingLabel } from '#web/core/setting-texts.ts';
import { Button } from '#web/ui/Button.tsx';
import { copyWithToast } from '#web/ui/copy-with-toast.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { siteSettingsQuery } from './site-settings.ts';
import { buildWidgetSnippet, usualCount, type WidgetChoice } from './widget-snippet.ts';
import { WidgetPreview } from './WidgetPreview.tsx';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';
import widget from './widget.module.css';

/** The widget of other sites: choices, a preview, and the HTML to copy. For admins. */
export function WidgetPage() {
  usePageTitle(t`Questions on other sites`);
  const { data: settings } = useQuery(siteSettingsQuery);
  const isPublic = settings?.find(({ name }) => name === 'publicReading')?.value;
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Questions on other sites`}</PageHeading>
        <AdminMenu />
      </div>
      <p className={classes.intro}>
        {t`A list of questions for another site, such as the documentation of a product. It sets no cookies.`}
      </p>
      {isPublic === false && (
        <EmptyState
          title={t`Public reading is off`}
          text={t`Other sites can show questions while everyone can read them. Switch on public reading in the site settings.`}
        />
      )}
      {isPublic === true && <WidgetForm />}
    </>
  );
}

function WidgetForm() {
  const [choice, setChoice] = useState<WidgetChoice>({
    subject: 'tag',
    tag: '',
    count: usualCount,
    theme: 'page',
    language: 'site',
  });
  const [pageTitle, setPageTitle] = useState('');
  const change = (changed: Partial<WidgetChoice>) => setChoice({ ...choice, ...changed });
  const isTag = choice.subject === 'tag';
  const isComplete = !isTag || choice.tag.trim() !== '';
  const hasPreview = (isTag ? choice.tag : pageTitle).trim() !== '';
  const previewId = useId();
  return (
    <>
      <form className={widget.fields} noValidate onSubmit={(event) => event.preventDefault()}>
        <FormSelect
          label={t`Questions`}
          options={[
            ['tag', t`Newest questions of a topic`],
            ['related', t`Questions related to the page`],
          ]}
          value={choice.subject}
          onChange={(subject) => change({ subject })}
        />
        {isTag ? (
          <TextInput
            label={t`Topic`}
            size="md"
            dir="auto"
            autoComplete="off"
            maxLength={limits.tag * 2}
            value={choice.tag}
            onChange={(event) => change({ tag: event.currentTarget.value })}
          />
        ) : (
          <TextInput
            label={t`Title of a page, for the preview`}
            size="md"
            dir="auto"
            autoComplete="off"
            maxLength={limits.title * 2}
            value={pageTitle}
            onChange={(event) => setPageTitle(event.currentTarget.value)}
          />
        )}
        <FormSelect
          label={t`Number of questions`}
          options={counts}
          value={choice.count}
          onChange={(count) => change({ count })}
        />
        <FormSelect
          label={t`Theme`}
          options={[
            ['page', t`Colors of the page`],
            ['light', t`Light`],
            ['dark', t`Dark`],
          ]}
          value={choice.theme}
          onChange={(theme) => change({ theme })}
        />
        <FormSelect<Language | 'site'>
          label={t`Language`}
          options={[['site', settingLabel('language')], ...languages.map(nameLanguage)]}
          value={choice.language}
          onChange={(language) => change({ language })}
        />
      </form>
      <Snippet text={isComplete ? buildWidgetSnippet(window.location.origin, choice) : null} />
      <section className={classes.section} aria-labelledby={previewId}>
        <h2 id={previewId}>{t`Preview`}</h2>
        {hasPreview ? (
          <WidgetPreview choice={choice} pageTitle={pageTitle} />
        ) : (
          <p className={classes.description}>
            {isTag
              ? t`Enter a topic to see its questions.`
              : t`Enter the title of a page to see related questions.`}
          </p>
        )}
      </section>
    </>
  );
}

const counts = Array.from({ length: 10 }, (_, index) => [`${index + 1}`, `${index + 1}`] as const);

const nameLanguage = (language: Language) => [language, languageNames[language]] as const;

/** @param text null: something is missing */
function Snippet({ text }: { text: string | null }) {
  return (
    <div className={widget.snippet}>
      <Textarea
        label={t`HTML for the other site`}
        description={t`The list appears where you paste it.`}
        dir="ltr"
        readOnly
        autosize
        minRows={2}
        spellCheck={false}
        value={text ?? ''}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button disabled={text === null} onClick={() => void copyWithToast(text ?? '')}>{t`Copy HTML`}</Button>
    </div>
  );
}
