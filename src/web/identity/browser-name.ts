import { t } from '@lingui/core/macro';

/** 'Firefox on Linux' from a User-Agent header; for other programs the first word. */
export function formatBrowserName(userAgent: string | null): string {
  if (userAgent === null || userAgent.trim() === '') return t`Unknown browser`;
  const browser = browsers.find(([mark]) => userAgent.includes(mark))?.[1];
  if (browser === undefined) return userAgent.split(/[\s/]/u)[0] ?? userAgent;
  const system = systems.find(([mark]) => userAgent.includes(mark))?.[1];
  return system === undefined ? browser : t`${browser} on ${system}`;
}

/** The order matters: most browsers also include the tokens of those below them. */
const browsers: readonly (readonly [mark: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

const systems: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
];
