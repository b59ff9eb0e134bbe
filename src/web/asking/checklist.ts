import { codePoints } from '#shared/text.ts';
import { parseTags } from '#shared/tags.ts';
import type { AskDraft } from './ask.ts';

/** What makes a question easy to answer, in the order of the form. None of it is a rule. */
export type Advice = 'title' | 'details' | 'code' | 'tags';

/** A title of fewer words or characters names a subject and asks nothing. */
const title = { words: 4, characters: 15 } as const;

/** Details shorter than about two sentences cannot tell what was tried. */
const detailsCharacters = 120;

/** Which advice a draft follows. */
export function followed(draft: Pick<AskDraft, 'title' | 'content' | 'tags'>): ReadonlySet<Advice> {
  const done = new Set<Advice>();
  if (saysWhatIsAsked(draft.title.trim())) done.add('title');
  const content = draft.content.trim();
  if (codePoints(content) >= detailsCharacters) done.add('details');
  if (content !== '' && !hasLooseCode(draft.content)) done.add('code');
  if (parseTags(draft.tags).length > 0) done.add('tags');
  return done;
}

/** Some languages write no spaces between words: there, a question mark or the length has to do. */
function saysWhatIsAsked(text: string): boolean {
  if (/[?？؟]/u.test(text) && codePoints(text) >= 6) return true;
  return codePoints(text) >= title.characters && text.split(/\s+/u).length >= title.words;
}

/** Lines outside of code blocks that end or begin as only code does. */
function hasLooseCode(content: string): boolean {
  const prose = content
    .replace(/^(```|~~~)[\s\S]*?(^\1|$(?![\s\S]))/gmu, '')
    .replace(/^(?: {4}|\t).*$/gmu, '')
    .replace(/`[^`\n]+`/gu, '');
  return prose.split('\n').some((line) => codeLine.test(line.trim()));
}

const codeLine =
  /[;{}]$|^(?:import|from|const|let|var|def|class|function|return|#include|public|private)\b.*[=:(){};<>]|^<\/?[a-z][^>]*>|=>\s|^\$ \S|^(?:SELECT|INSERT|UPDATE|DELETE)\s.+\s(?:FROM|INTO|SET)\s/u;
