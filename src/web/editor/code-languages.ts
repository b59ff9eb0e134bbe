import { isClosed } from './code-blocks.ts';
import { t } from '@lingui/core/macro';
import { findLineEnd, findLineStart, type TextEdit } from './text-edits.ts';
import type { SuggestionTrigger } from './suggestion-triggers.ts';

/** `key` is the usual info string of a block; `aliases` are others with the same meaning. */
export type CodeLanguage = { key: string; name: string; aliases?: readonly string[] };

/**
 * The languages with syntax highlighting, the most common first: info string, name and aliases. Language names are not
 * translated.
 */
const languages: readonly CodeLanguage[] = [
  'python:Python:py',
  'javascript:JavaScript:js,jsx',
  'typescript:TypeScript:ts,tsx',
  'java:Java',
  'csharp:C#:cs,c#',
  'cpp:C++:c++,cc',
  'c:C',
  'html:HTML:xhtml',
  'css:CSS',
  'sql:SQL',
  'bash:Bash:sh,zsh,shell,console',
  'json:JSON',
  'php:PHP',
  'go:Go:golang',
  'rust:Rust:rs',
  'kotlin:Kotlin:kt',
  'swift:Swift',
  'ruby:Ruby:rb',
  'r:R',
  'yaml:YAML:yml',
  'xml:XML:svg,rss',
  'markdown:Markdown:md',
  'diff:Diff:patch',
  'scss:SCSS',
  'less:Less',
  'lua:Lua',
  'perl:Perl:pl',
  'objectivec:Objective-C:objc',
  'vbnet:VB.NET:vb',
  'graphql:GraphQL:gql',
  'ini:INI/TOML:toml',
  'makefile:Makefile:make',
  'arduino:Arduino:ino',
  'wasm:WebAssembly',
].map((line) => {
  const [key = '', name = '', aliases] = line.split(':');
  return { key, name, ...(aliases !== undefined && { aliases: aliases.split(',') }) };
});

/** No highlighting. First in the list if nothing is typed, so that Enter after the fence selects it. */
const plain = (): CodeLanguage => ({ key: '', name: t`Plain text` });

/** The languages whose names start with the typed text. Without one, those that the text already uses come first. */
export function findLanguages(query: string, text: string): CodeLanguage[] {
  const typed = query.toLowerCase();
  if (typed === '') {
    const used = new Set(
      Array.from(text.matchAll(/^[ \t>]*(?:`{3,}|~{3,})([\w+#-]+)$/gmu), ([, name]) => name),
    );
    const isUsed = ({ key, aliases }: CodeLanguage) =>
      [key, ...(aliases ?? [])].some((name) => used.has(name));
    return [plain(), ...languages.filter(isUsed), ...languages.filter((language) => !isUsed(language))];
  }
  const names = ({ key, name, aliases }: CodeLanguage) => [key, name.toLowerCase(), ...(aliases ?? [])];
  const exact = languages.filter((language) => names(language).includes(typed));
  const rest = languages.filter((language) => !exact.includes(language));
  return [...exact, ...rest.filter((language) => names(language).some((name) => name.startsWith(typed)))];
}

/**
 * Inserts the language and moves the caret into the block, which is closed if necessary. A fully typed name stays as it
 * is.
 */
export function insertLanguage(
  text: string,
  { from, to, query }: SuggestionTrigger,
  language: CodeLanguage,
): TextEdit {
  const name = language.aliases?.includes(query) ? query : language.key;
  const start = findLineStart(text, from);
  const opening = text.slice(start, from);
  const mark = /(?:`{3,}|~{3,})$/u.exec(opening)?.[0] ?? '```';
  const space = opening.slice(0, -mark.length).replaceAll(/[^\s>]/gu, ' ');
  const caret = from + name.length + 1 + space.length;
  const select = [caret, caret] as const;
  if (isClosed(text.slice(findLineEnd(text, to)), mark)) {
    // The block already has a next line; the caret moves there.
    return { from, to, insert: name, select: [from + name.length + 1, from + name.length + 1] };
  }
  return { from, to, insert: `${name}\n${space}\n${space}${mark}`, select };
}
