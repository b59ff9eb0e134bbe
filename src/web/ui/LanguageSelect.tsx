import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { IconChevronDown, IconLanguage } from '@tabler/icons-react';
import fieldClasses from './SelectField.module.css';
import { chooseLanguage, getChosenLanguage, languages, getLanguageName } from '#web/languages/languages.ts';

/**
 * Lists each language by its own name. Takes effect immediately, also in other tabs. The first option follows the
 * browser.
 */
export function LanguageSelect({
  label,
}: {
  /** Visible, for places without a heading. */
  label?: string;
}) {
  if (languages.length === 1) return null;
  return (
    <NativeSelect
      {...(label === undefined
        ? { 'aria-label': t`Language` }
        : { label, classNames: { root: fieldClasses.field ?? '', label: fieldClasses.label ?? '' } })}
      leftSection={<IconLanguage size={18} stroke={1.6} aria-hidden />}
      rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
      value={getChosenLanguage() ?? ''}
      onChange={({ currentTarget: { value } }) => void chooseLanguage(value === '' ? null : value)}
    >
      <option value="">{t`Browser default`}</option>
      {languages.map((language) => (
        <option key={language} value={language} lang={language}>
          {getLanguageName(language)}
        </option>
      ))}
    </NativeSelect>
  );
}
