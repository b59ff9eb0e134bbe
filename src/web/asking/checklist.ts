import { codePoints } from '#shared/text.ts';
import { parseTags } from '#shared/tags.ts';
import type { AskDraft } from './ask.ts';

/** What makes a question easy to answer. None of it is a rule. */
export type Advice = 'title' | 'details' | 'tags' | 'code';

/** A title of fewer words or characters names a subject and asks nothing. */
const title = { words: 4, characters: 15 } as const;

/** Details shorter than about two sentences cannot tell what was tried. */
const detailsCharacters = 120;

/** What a draft is advised, and whether it follows it. Of code, only a draft that has some hears anything. */
export function advise(
  draft: Pick<AskDraft, 'title' | 'content' | 'tags'>,
): readonly { advice: Advice; done: boolean }[] {
  const prose = withoutCode(draft.content);
  const isLoose = prose.split('\n').some((line) => codeLine.test(line.trim()));
  const hasCode = isLoose || prose !== draft.content;
  return [
    { advice: 'title', done: saysWhatIsAsked(draft.title.trim()) },
    { advice: 'details', done: codePoints(draft.content.trim()) >= detailsCharacters },
    { advice: 'tags', done: parseTags(draft.tags).length > 0 },
    // The last: nothing else moves when it comes.
    ...(hasCode ? [{ advice: 'code', done: !isLoose } as const] : []),
  ];
}

/** Some languages write no spaces between words: there, a question mark or the length has to do. */
function saysWhatIsAsked(text: string): boolean {
  if (/[?？؟]/u.test(text) && codePoints(text) >= 6) return true;
  return codePoints(text) >= title.characters && text.split(/\s+/u).length >= title.words;
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
