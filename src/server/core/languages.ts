import { parse } from 'hono/utils/cookie';
import { findLanguage, isLanguage, type Language } from '#shared/core/languages.ts';
import { languageCookie } from '#shared/core/protocol.ts';

/**
 * The language that was chosen in the browser, or the first of the browser's languages that Parley has; null if there
 * is none.
 */
export function findRequestLanguage(headers: Headers): Language | null {
  const chosen = parse(headers.get('cookie') ?? '', languageCookie)[languageCookie] ?? '';
  if (isLanguage(chosen)) return chosen;
  const wanted = (headers.get('accept-language') ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.trim().split(';');
    const quality = parameters
      .find((each) => each.trim().startsWith('q='))
      ?.trim()
      .slice(2);
    return { tag, quality: Number(quality ?? 1) };
  });
  return findLanguage(wanted.toSorted((one, other) => other.quality - one.quality).map(({ tag }) => tag));
}
