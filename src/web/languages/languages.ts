import { i18n, type Messages } from '@lingui/core';
import { useSyncExternalStore } from 'react';
import { findLanguage, isLanguage, type Language } from '#shared/core/languages.ts';
import { languageCookie } from '#shared/core/protocol.ts';
import { getTextDirection } from '#shared/core/text.ts';
import { readCookie, writeCookie } from '#web/core/cookies.ts';
import { english } from './english.ts';

const key = 'language';
const files = import.meta.glob<{ messages: Messages }>(['./*.po', '!./en.po']);
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/|\.po$/gu, ''), load]),
);

/** The language chosen in this browser; null if the browser's languages decide. */
export function getChosenLanguage(): Language | null {
  const stored = read();
  return stored !== null && isLanguage(stored) ? stored : null;
}

/** Switches the language of the interface; null uses the browser's languages. */
export async function chooseLanguage(language: Language | null): Promise<void> {
  write(language);
  await activateLanguage(getPreferredLanguage());
}

/**
 * Loads the messages before the first text is shown. A choice made in another tab counts when this one is loaded again:
 * a change of the language empties the forms.
 */
export async function initLanguage(): Promise<void> {
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

/** The choice in this browser, else the first of the browser's languages that Parley has, else that of the community. */
function getPreferredLanguage(): Language {
  return getChosenLanguage() ?? findLanguage(navigator.languages) ?? siteLanguage();
}

function siteLanguage(): Language {
  const named = document.querySelector<HTMLMetaElement>('meta[name=site-language]')?.content ?? '';
  return isLanguage(named) ? named : 'en';
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
