const schemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address a link in a member's text may lead to, or '' when it leads nowhere: absolute http, https and mailto
 * addresses, and the footnotes of the same text.
 * @param footnotes how the ids of the text's own footnotes begin, with the `#`.
 */
export function sanitizeUrl(address: string, footnotes?: string): string {
  if (footnotes !== undefined && address.startsWith(footnotes)) return address;
  const url = URL.parse(address);
  return url !== null && schemes.has(url.protocol) ? address : '';
}
