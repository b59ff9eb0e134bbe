import { countCodePoints } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';
import { findTagsProblem, parseTags } from '#shared/posts/tags.ts';
import type { AskDraft } from './ask-draft.ts';

/** The properties that make a question easy to answer. None is required. */
export type ChecklistItem = 'title' | 'details' | 'tags' | 'code';

/** A shorter title names a subject without asking anything. */
const titleMinimum = { words: 4, characters: 15 } as const;

/** Shorter details, less than about two sentences, cannot describe what was tried. */
const detailsMinCharacters = 120;

/**
 * The hints for a draft, with whether each is met, which needs a field without an error. The hint about code appears only
 * if the draft has code.
 */
export function checkAskDraft(
  draft: Pick<AskDraft, 'title' | 'content' | 'tags'>,
): readonly { advice: ChecklistItem; done: boolean }[] {
  const titleLength = countCodePoints(draft.title.trim());
  const detailsLength = countCodePoints(draft.content.trim());
  const tags = parseTags(draft.tags);
  const prose = withoutCode(draft.content);
  const isLoose = prose.split('\n').some((line) => codeLine.test(line.trim()));
  const hasCode = isLoose || prose !== draft.content;
  return [
    { advice: 'title', done: titleLength <= limits.title && isClearQuestion(draft.title.trim()) },
    { advice: 'details', done: detailsLength >= detailsMinCharacters && detailsLength <= limits.details },
    { advice: 'tags', done: tags.length > 0 && findTagsProblem(tags) === null },
    // Last, so that nothing else moves when it appears.
    ...(hasCode ? [{ advice: 'code', done: !isLoose } as const] : []),
  ];
}

/** For languages without spaces between words, a question mark or the length decides. */
function isClearQuestion(text: string): boolean {
  if (/[?？؟]/u.test(text) && countCodePoints(text) >= 6) return true;
  return countCodePoints(text) >= titleMinimum.characters && text.split(/\s+/u).length >= titleMinimum.words;
}

/** Removes code blocks and inline code. */
function withoutCode(content: string): string {
  return content
    .replace(/^(```|~~~)[\s\S]*?(^\1|$(?![\s\S]))/gmu, '')
    .replace(/^(?: {4}|\t).*$/gmu, '')
    .replace(/`[^`\n]+`/gu, '');
}

/** A line that begins or ends like code. */
const codeLine =
  /[;{}]$|^(?:import|from|const|let|var|def|class|function|return|#include|public|private)\b.*[=:(){};<>]|^<\/?[a-z][^>]*>|=>\s|^\$ \S|^(?:SELECT|INSERT|UPDATE|DELETE)\s.+\s(?:FROM|INTO|SET)\s/u;
