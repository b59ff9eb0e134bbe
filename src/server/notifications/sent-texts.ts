import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { projectRoot } from '#server/core/paths.ts';
import type { Language } from '#shared/core/languages.ts';
import { type NotificationKind, notificationKinds } from '#shared/notifications/notification-kinds.ts';
import { getTextDirection } from '#shared/core/text.ts';
import { type CodedError, formatError } from '#shared/errors.ts';
import { type SentTextId, sentTexts } from '#shared/notifications/sent-texts.ts';

/** The translations of what the server sends, by language and id. The build writes them (vite.config.texts.ts). */
export type Catalogues = Readonly<Record<string, Readonly<Record<string, string>>>>;

const file = path.join(projectRoot, 'dist/render/sent-texts.json');
let catalogues: Catalogues | undefined;
type Messages = Readonly<Record<string, CompiledMessage>>;
const byLanguage = new Map<Language, Messages>();

/** Replaces the translations of the build, for tests. */
export function setCatalogues(replacement: Catalogues): void {
  catalogues = replacement;
  byLanguage.clear();
}

type Values = Readonly<Record<string, string | number>>;

/** A text of an email or push message. Without a translation, it is in English. */
export function translate(language: Language, id: SentTextId, values: Values = {}): string {
  return render(language, id, values);
}

/** The message of a notification in a language. */
export function translateNotification(
  language: Language,
  { kind, name, title }: { kind: NotificationKind; name: string; title: string },
): string {
  return render(language, `notification.${kind}`, {
    name: isolate(language, name),
    title: isolate(language, title),
  });
}

/** Letters of Hebrew, Arabic and other scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u;

/**
 * Keeps a text of another direction from reordering the sentence around it (Unicode's FSI and PDI). Plain text and subjects
 * have no elements for this.
 */
export const isolate = (language: Language, text: string): string =>
  getTextDirection(language) === 'rtl' || rightToLeft.test(text) ? `\u2068${text}\u2069` : text;

/** The text of an error of the API in a language. */
export function translateError(language: Language, error: CodedError): string {
  const id = `error.${error.code}`;
  return getMessages(language)[id] === undefined
    ? formatError(error)
    : render(language, id, error.params ?? {});
}

/** A time in the format of a language, in UTC: '2 January 2100 at 03:04 UTC'. */
export function formatTime(language: Language, time: Date): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(time);
}

function render(language: Language, id: string, values: Values): string {
  return format(language, getMessages(language)[id] ?? [id], values);
}

/** Formats what `compileMessage` makes of placeholders and plurals, the parts of messages that the texts use. */
function format(language: Language, message: CompiledMessage, values: Values, count?: number): string {
  return message
    .map((part) => {
      if (typeof part === 'string')
        return part === '#' && count !== undefined ? new Intl.NumberFormat(language).format(count) : part;
      const [name, type, forms] = part;
      const value = values[name] ?? '';
      if (type !== 'plural')
        return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
      const number = Number(value);
      const form = new Intl.PluralRules(language).select(number);
      const byForm = forms as Readonly<Record<string, CompiledMessage>>;
      return format(language, byForm[form] ?? byForm['other'] ?? [], values, number);
    })
    .join('');
}

function getMessages(language: Language): Messages {
  const known = byLanguage.get(language);
  if (known !== undefined) return known;
  catalogues ??= readCatalogues();
  const texts = { ...english, ...(language === 'en' ? {} : catalogues[language]) };
  const messages = Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, compileMessage(text)]));
  byLanguage.set(language, messages);
  return messages;
}

const english: Readonly<Record<string, string>> = {
  ...sentTexts,
  ...Object.fromEntries(
    Object.entries(notificationKinds).map(([kind, { message }]) => [`notification.${kind}`, message]),
  ),
};

/** Without a build, everything is in English. */
function readCatalogues(): Catalogues {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Catalogues;
  } catch {
    return {};
  }
}
