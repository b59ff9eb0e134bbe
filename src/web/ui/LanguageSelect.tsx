import { t } from '@lingui/core/macro';
import { NativeSelect } from './mantine/NativeSelect.tsx';
import { IconChevronDown, IconLanguage } from '@tabler/icons-react';
import fieldClasses from './SelectField.module.css';
import { isLanguage, type Language, languageNames, languages } from '#shared/core/languages.ts';
import { chooseLanguage, getChosenLanguage } from '#web/languages/languages.ts';

/**
 * Lists each language by its own name. Takes effect immediately, also in other tabs. The first option follows the
 * browser.
 */
export function LanguageSelect({
  label,
  onChosen,
}: {
  /** Visible, for places without a heading. */
  label?: string;
  /** Called when the interface has changed. */
  onChosen?: () => void;
}) {
  return (
    <NativeSelect
      {...(label === undefined
        ? { 'aria-label': t`Language` }
        : { label, classNames: { root: fieldClasses.field ?? '', label: fieldClasses.label ?? '' } })}
      leftSection={<IconLanguage size={18} stroke={1.6} aria-hidden />}
      rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
      value={getChosenLanguage() ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const chosen: Language | null = isLanguage(value) ? value : null;
        void chooseLanguage(chosen).then(onChosen);
      }}
    >
      <option value="">{t`Browser default`}</option>
      {languages.map((language) => (
        <option key={language} value={language} lang={language}>
          {languageNames[language]}
        </option>
      ))}
    </NativeSelect>
  );
}
