import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { IconChevronDown, IconLanguage } from '@tabler/icons-react';
import beside from './SelectField.module.css';
import { chooseLanguage, getChosenLanguage, languages, getLanguageName } from '#web/languages/languages.ts';

/** Each language in its own words. Takes effect at once, and in other tabs; the first choice leaves it to the browser. */
export function LanguageSelect({
  label,
}: {
  /** To be seen, where no heading says what it is. */
  label?: string;
}) {
  if (languages.length === 1) return null;
  return (
    <NativeSelect
      {...(label === undefined
        ? { 'aria-label': t`Language` }
        : { label, classNames: { root: beside.field ?? '', label: beside.label ?? '' } })}
      leftSection={<IconLanguage size={18} stroke={1.6} aria-hidden />}
      rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
      value={getChosenLanguage() ?? ''}
      onChange={({ currentTarget: { value } }) => void chooseLanguage(value === '' ? null : value)}
    >
      <option value="">{t`Same as the browser`}</option>
      {languages.map((language) => (
        <option key={language} value={language} lang={language}>
          {getLanguageName(language)}
        </option>
      ))}
    </NativeSelect>
  );
}
