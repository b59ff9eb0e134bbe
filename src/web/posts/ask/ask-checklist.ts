import { countCodePoints } from '#shared/core/text.ts';
import { parseTags } from '#shared/posts/tags.ts';
import type { AskDraft } from './ask-draft.ts';

/** What makes a question easy to answer. None of it is a rule. */
export type ChecklistItem = 'title' | 'details' | 'tags' | 'code';

/** A title of fewer words or characters names a subject and asks nothing. */
const titleMinimum = { words: 4, characters: 15 } as const;

/** Details shorter than about two sentences cannot tell what was tried. */
const detailsMinCharacters = 120;

/** What a draft is advised, and whether it follows it. Of code, only a draft that has some hears anything. */
export function checkAskDraft(
  draft: Pick<AskDraft, 'title' | 'content' | 'tags'>,
): readonly { advice: ChecklistItem; done: boolean }[] {
  const prose = withoutCode(draft.content);
  const isLoose = prose.split('\n').some((line) => codeLine.test(line.trim()));
  const hasCode = isLoose || prose !== draft.content;
  return [
    { advice: 'title', done: isClearQuestion(draft.title.trim()) },
    { advice: 'details', done: countCodePoints(draft.content.trim()) >= detailsMinCharacters },
    { advice: 'tags', done: parseTags(draft.tags).length > 0 },
    // The last: nothing else moves when it comes.
    ...(hasCode ? [{ advice: 'code', done: !isLoose } as const] : []),
  ];
}

/** Some languages write no spaces between words: there, a question mark or the length has to do. */
function isClearQuestion(text: string): boolean {
  if (/[?？؟]/u.test(text) && countCodePoints(text) >= 6) return true;
  return countCodePoints(text) >= titleMinimum.characters && text.split(/\s+/u).length >= titleMinimum.words;
}

/** What stands outside of code blocks and of code in a line. */
function withoutCode(content: string): string {
  return content
    .replace(/^(```|~~~)[\s\S]*?(^\1|$(?![\s\S]))/gmu, '')
    .replace(/^(?: {4}|\t).*$/gmu, '')
    .replace(/`[^`\n]+`/gu, '');
}

/** Ends or begins as only code does. */
const codeLine =
  /[;{}]$|^(?:import|from|const|let|var|def|class|function|return|#include|public|private)\b.*[=:(){};<>]|^<\/?[a-z][^>]*>|=>\s|^\$ \S|^(?:SELECT|INSERT|UPDATE|DELETE)\s.+\s(?:FROM|INTO|SET)\s/u;
