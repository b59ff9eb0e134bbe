/**
 * Replaces what Discourse's Markdown has of its own: uploads get the addresses under which Discourse serves them, pictures
 * lose their size, and quotes become those of Markdown.
 */
export function convertDiscourseText(text: string, site: string): string {
  return text
    .replaceAll(/upload:\/\/([\dA-Za-z]+(?:\.\w+)?)/gu, `${site}/uploads/short-url/$1`)
    .replaceAll(/!\[([^\]|\n]*)\|[^\]\n]*\]\(/gu, '![$1](')
    .replaceAll(/^\[quote(?:="([^",\n]*)[^"\n]*")?\]\n?([\s\S]*?)\n?\[\/quote\]$/gmu, quoteLines);
}

function quoteLines(_: string, author: string | undefined, quoted: string): string {
  const lines = quoted.split('\n').map((line) => `> ${line}`.trimEnd());
  return [...(author === undefined || author === '' ? [] : [`> **${author}**:`, '>']), ...lines, ''].join(
    '\n',
  );
}
