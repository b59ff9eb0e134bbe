const schemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address of a link in a member's text, or '' if it is not allowed. Allowed are absolute http, https and mailto
 * addresses and the footnotes of the same text.
 * @param footnotes the prefix of the text's footnote ids, with the `#`.
 */
export function sanitizeUrl(address: string, footnotes?: string): string {
  if (footnotes !== undefined && address.startsWith(footnotes)) return address;
  const url = URL.parse(address);
  return url !== null && schemes.has(url.protocol) ? address : '';
}
