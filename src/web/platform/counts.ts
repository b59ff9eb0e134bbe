import { i18n } from '@lingui/core';

/**
 * A count as it is shown: numbers over 999 read '1.2k', over 999,999 '1.2M'. Never rounded up, so that 1,999 does not
 * read '2k' before it is. Other languages shorten in their own way.
 */
export function formatShortCount(count: number): string {
  if (count < 1000) return formatCount(count);
  const maximumFractionDigits = count < 100_000 || (count >= 1_000_000 && count < 100_000_000) ? 1 : 0;
  const short = new Intl.NumberFormat(i18n.locale, {
    notation: 'compact',
    roundingMode: 'floor',
    maximumFractionDigits,
  });
  return i18n.locale === 'en' ? short.format(count).replace('K', 'k') : short.format(count);
}

/** '1,234', as the reader's language writes it. */
export function formatCount(count: number): string {
  return count.toLocaleString(i18n.locale);
}
