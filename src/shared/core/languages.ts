/**
 * The languages of the interface and of emails by their codes (BCP 47), with their own names. Each has a file in
 * src/web/languages.
 */
export const languageNames = {
  ar: 'العربية',
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  zh: '中文',
} as const;

export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as Language[];

export const isLanguage = (text: string): text is Language => Object.hasOwn(languageNames, text);

/** The first wanted language that Parley has, as a tag such as 'de-AT' names it; null if there is none. */
export function findLanguage(wanted: readonly string[]): Language | null {
  for (const tag of wanted) {
    const language = parseLanguage(tag);
    if (language !== null && isLanguage(language)) return language;
  }
  return null;
}

/** 'de' for a tag such as 'de-AT'; null for an invalid one, such as the 'C' of a system without a locale. */
function parseLanguage(tag: string): string | null {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return null;
  }
}
