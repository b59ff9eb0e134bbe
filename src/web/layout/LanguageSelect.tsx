import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { chooseLanguage, chosenLanguage, languages, nameOf } from '#web/languages/languages.ts';

/** Each language in its own words. Takes effect at once, and in other tabs; the first choice leaves it to the browser. */
export function LanguageSelect({ label }: { label?: string }) {
  if (languages.length === 1) return null;
  return (
    <NativeSelect
      {...(label === undefined ? { 'aria-label': t`Language` } : { label })}
      rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
      value={chosenLanguage() ?? ''}
      onChange={({ currentTarget: { value } }) => void chooseLanguage(value === '' ? null : value)}
    >
      <option value="">{t`Same as the browser`}</option>
      {languages.map((language) => (
        <option key={language} value={language} lang={language}>
          {nameOf(language)}
        </option>
      ))}
    </NativeSelect>
  );
}
