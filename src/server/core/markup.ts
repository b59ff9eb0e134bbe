/** Characters that XML 1.0 does not allow (section 2.2), besides surrogates. HTML has no use for them either. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and quoted attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, '\uFFFD')
    .replaceAll(/[&<>"']/gu, (character) => entities[character] ?? character);
}

/**
 * Escapes JSON for a script element. These characters appear only in strings of JSON, where the escaped form is
 * equivalent; `<` could end the element.
 */
export function escapeScript(json: string): string {
  return json
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}
