import { t } from '@lingui/core/macro';
import { findLineEnd, findLineStart, type TextEdit } from './text-edits.ts';
import type { SuggestionTrigger } from './suggestion-triggers.ts';

/** `key` is what a block is marked with, `aliases` what it may be marked with as well. */
export type CodeLanguage = { key: string; name: string; aliases?: readonly string[] };

/**
 * What is coloured, the most asked about first: the mark of the block, the name, and other marks that mean the same. The
 * names of languages are the same everywhere.
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

/** No colours: first where nothing is typed, so that Enter behind the fence means that. */
const plain = (): CodeLanguage => ({ key: '', name: t`Plain text` });

/** The languages whose names begin with what is typed; without it, those the text has already come first. */
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

/** Names the language and goes into the block, which is closed where it was not. A name that was typed whole stays. */
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
    // The line behind the opening one is there; the caret goes to it.
    return { from, to, insert: name, select: [from + name.length + 1, from + name.length + 1] };
  }
  return { from, to, insert: `${name}\n${space}\n${space}${mark}`, select };
}

/** Fences come in pairs: with an odd number of them behind it, an opening one has its end. */
function isClosed(behind: string, mark: string): boolean {
  const sign = mark.slice(0, 3);
  return behind.split('\n').filter((line) => line.replace(/^[ \t>]+/u, '').startsWith(sign)).length % 2 === 1;
}
