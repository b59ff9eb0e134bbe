import { findFence, isInCode } from './code-blocks.ts';
import { findLineStart } from './text-edits.ts';

/**
 * The text that opens a list of suggestions: a member after '@', a question after '#', or the language after an opening
 * fence. `from` is its start, `to` the caret.
 */
export type SuggestionTrigger = {
  kind: 'member' | 'question' | 'language';
  from: number;
  to: number;
  query: string;
};

const member =
  /(?:^|[^\p{L}\p{N}_@/.[\\])@((?:[\p{L}\p{M}\p{N}'’._-]+(?: [\p{L}\p{M}\p{N}'’._-]+){0,2} ?)?)$/u;
const question = /(?:^|[^\p{L}\p{N}_#&/\\])#(\d{1,15}|[\p{L}\p{N}][^\s#@]*(?: [^\s#@]+){0,3} ?)$/u;
const language = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*(?:`{3,}|~{3,})([\w+#.-]*)$/u;

/** In UTF-16 units before the caret. Longer names are not completed. */
const maxLookback = 80;

export function findTrigger(text: string, caret: number): SuggestionTrigger | null {
  const start = findLineStart(text, caret);
  const line = text.slice(Math.max(start, caret - maxLookback), caret);
  const [, named] = language.exec(line) ?? [];
  if (named !== undefined && start >= caret - maxLookback) {
    const rest = text.slice(caret, caret + 1);
    if ((rest !== '' && rest !== '\n') || findFence(text, caret) !== null) return null;
    return { kind: 'language', from: caret - named.length, to: caret, query: named };
  }
  for (const [kind, pattern] of [
    ['member', member],
    ['question', question],
  ] as const) {
    const [, query] = pattern.exec(line) ?? [];
    if (query === undefined) continue;
    const from = caret - query.length - 1;
    return isInCode(text, from) ? null : { kind, from, to: caret, query };
  }
  return null;
}

/** A mention is a link to the member's profile whose text starts with '@'. */
export function formatMention({ id, name }: { id: number; name: string }): string {
  return `[@${name.replaceAll(/[\\`*_[\]<>~&]/gu, String.raw`\$&`)}](/profile/${id}) `;
}
