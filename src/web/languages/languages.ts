import { i18n, type Messages } from '@lingui/core';
import { useSyncExternalStore } from 'react';
import { english } from './english.ts';

const key = 'language';
const files = import.meta.glob<{ messages: Messages }>(['./*.po', '!./en.po']);
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/|\.po$/gu, ''), load]),
);

/** Every language there is a file for in languages/, by its code (BCP 47). */
export const languages: readonly string[] = ['en', ...loaders.keys()].toSorted();

/** A language's name in itself: 'Deutsch'. */
export function getLanguageName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** The first of the languages somebody reads that there is a file for; English where there is none. */
export function pickLanguage(wanted: readonly string[], available: readonly string[] = languages): string {
  for (const tag of wanted) {
    const language = parseLanguage(tag);
    const found = available.find((code) => code === tag) ?? available.find((code) => code === language);
    if (found !== undefined) return found;
  }
  return 'en';
}

/** Of a tag such as 'de-AT', 'de'; null for one that is no language, such as the 'C' of a system without any set. */
function parseLanguage(tag: string): string | null {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return null;
  }
}

/** The language chosen in this browser; null where the browser's own languages decide. */
export function getChosenLanguage(): string | null {
  const stored = read();
  return stored !== null && languages.includes(stored) ? stored : null;
}

/** Shows everything in a language from now on; null leaves it to the browser's own languages. */
export async function chooseLanguage(language: string | null): Promise<void> {
  write(language);
  await activateLanguage(getPreferredLanguage());
}

/** Loads the texts before the first of them is shown, and follows the choice made in another tab. */
export async function initLanguage(): Promise<void> {
  window.addEventListener('storage', (event) => {
    // A null key tells that the whole storage was cleared.
    if (event.key === key || event.key === null) void activateLanguage(getPreferredLanguage());
  });
  i18n.load('en', english);
  await activateLanguage(getPreferredLanguage());
}

/** The language shown, whatever changes it. */
export function useLanguage(): string {
  return useSyncExternalStore(
    (onChange) => i18n.on('change', onChange),
    () => i18n.locale,
  );
}

export function getTextDirection(language: string): 'ltr' | 'rtl' {
  return ['ar', 'fa', 'he', 'ur'].includes(new Intl.Locale(language).language) ? 'rtl' : 'ltr';
}

function getPreferredLanguage(): string {
  return getChosenLanguage() ?? pickLanguage(navigator.languages);
}

/** English where the file does not come, as on a page that stayed open across an upgrade. */
async function activateLanguage(language: string): Promise<void> {
  const messages = language === 'en' ? english : await loadMessages(language);
  const shown = messages === null ? 'en' : language;
  if (messages !== null) i18n.load(language, messages);
  i18n.activate(shown);
  document.documentElement.lang = shown;
  document.documentElement.dir = getTextDirection(shown);
}

async function loadMessages(language: string): Promise<Messages | null> {
  try {
    return (await loaders.get(language)?.())?.messages ?? null;
  } catch (error) {
    console.error(`The texts in ${language} could not be loaded.`, error);
    return null;
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(language: string | null): void {
  try {
    if (language === null) localStorage.removeItem(key);
    else localStorage.setItem(key, language);
  } catch {
    // Storage can be forbidden or full; the choice holds until the page is left.
  }
}
