import { i18n, type Messages } from '@lingui/core';
import { useSyncExternalStore } from 'react';
import { languageCookie } from '#shared/core/protocol.ts';
import { getTextDirection } from '#shared/core/text.ts';
import { readCookie, writeCookie } from '#web/core/cookies.ts';
import { english } from './english.ts';

const key = 'language';
const files = import.meta.glob<{ messages: Messages }>(['./*.po', '!./en.po']);
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/|\.po$/gu, ''), load]),
);

/** The codes (BCP 47) of all languages that have a file in languages/. */
export const languages: readonly string[] = ['en', ...loaders.keys()].toSorted();

/** The name of a language in that language: 'Deutsch'. */
export function getLanguageName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** The first wanted language that has a file; otherwise English. */
export function pickLanguage(wanted: readonly string[], available: readonly string[] = languages): string {
  for (const tag of wanted) {
    const language = parseLanguage(tag);
    const match = available.find((code) => code === tag) ?? available.find((code) => code === language);
    if (match !== undefined) return match;
  }
  return 'en';
}

/** 'de' for a tag such as 'de-AT'; null for an invalid one, such as the 'C' of a system without a locale. */
function parseLanguage(tag: string): string | null {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return null;
  }
}

/** The language chosen in this browser; null if the browser's languages decide. */
export function getChosenLanguage(): string | null {
  const stored = read();
  return stored !== null && languages.includes(stored) ? stored : null;
}

/** Switches the language of the interface; null uses the browser's languages. */
export async function chooseLanguage(language: string | null): Promise<void> {
  write(language);
  await activateLanguage(getPreferredLanguage());
}

/** Loads the messages before the first text is shown, and follows a choice made in another tab. */
export async function initLanguage(): Promise<void> {
  window.addEventListener('storage', (event) => {
    // The key is null when the whole storage was cleared.
    if (event.key === key || event.key === null) void activateLanguage(getPreferredLanguage());
  });
  // Storage lasts longer than a cookie.
  if (getChosenLanguage() !== readCookie(languageCookie)) writeCookie(languageCookie, getChosenLanguage());
  i18n.load('en', english);
  await activateLanguage(getPreferredLanguage());
}

/** On the server: the language of the page that is rendered next. */
export async function activateServerLanguage(language: string): Promise<void> {
  i18n.load('en', english);
  const messages = language === 'en' ? null : await loadMessages(language);
  if (messages !== null) i18n.load(language, messages);
  i18n.activate(messages === null ? 'en' : language);
}

/** The current language. Rerenders when it changes. */
export function useLanguage(): string {
  return useSyncExternalStore(
    (onChange) => i18n.on('change', onChange),
    () => i18n.locale,
    () => i18n.locale,
  );
}

function getPreferredLanguage(): string {
  return getChosenLanguage() ?? pickLanguage(navigator.languages);
}

/** Falls back to English if the file cannot be loaded, for example on a page that stayed open during an upgrade. */
async function activateLanguage(language: string): Promise<void> {
  const messages = language === 'en' ? english : await loadMessages(language);
  const active = messages === null ? 'en' : language;
  if (messages !== null) i18n.load(language, messages);
  i18n.activate(active);
  document.documentElement.lang = active;
  document.documentElement.dir = getTextDirection(active);
}

async function loadMessages(language: string): Promise<Messages | null> {
  try {
    return (await loaders.get(language)?.())?.messages ?? null;
  } catch (error) {
    console.error(`Failed to load the messages for ${language}.`, error);
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
  writeCookie(languageCookie, language);
  try {
    if (language === null) localStorage.removeItem(key);
    else localStorage.setItem(key, language);
  } catch {
    // Storage can be blocked or full. The choice then lasts until the page is left.
  }
}
