import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, truncate } from '#shared/core/text.ts';
import { paths } from '#web/core/paths.ts';
import type { AskDraft } from './ask-draft.ts';

/** What another app shares by the system (`share_target` in public/manifest.webmanifest), as the address has it. */
export type SharedContent = {
  title?: string | undefined;
  text?: string | undefined;
  url?: string | undefined;
};

/** Puts what was shared into the draft, once, and takes it out of the address. */
export function useShareTarget(draft: AskDraft, setDraft: (change: Partial<AskDraft>) => void): void {
  const router = useRouter();
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const take = useEffectEvent((search: string) => {
    const shared = parseSharedContent(Object.fromEntries(new URLSearchParams(search)));
    if (shared === null) return;
    setDraft(mergeSharedContent(draft, shared));
    void router.navigate({ href: paths.ask, replace: true });
  });
  useEffect(() => take(search), [search]);
}

/** Title and details as they can be posted, whatever the other app wrote; null where nothing of it is left. */
export function parseSharedContent({
  title,
  text,
  url,
}: SharedContent): { title: string; content: string } | null {
  const line = truncate(cleanText(title).replaceAll(/\s+/gu, ' '), limits.title);
  const link = parseWebUrl(url);
  const words = cleanText(text);
  const parts = [words === line ? '' : words, words.includes(link) ? '' : link];
  const content = truncate(parts.filter((part) => part !== '').join('\n\n'), limits.details);
  return line === '' && content === '' ? null : { title: line, content };
}

/** What was typed before stays; what was shared comes after it, as far as there is room. */
export function mergeSharedContent(
  { title, content }: Pick<AskDraft, 'title' | 'content'>,
  shared: { title: string; content: string },
): Pick<AskDraft, 'title' | 'content'> {
  const free = title.trim() === '';
  const added = free || shared.title === title ? shared.content : join(shared.title, shared.content);
  if (added === '' || content.includes(added)) return { title: free ? shared.title : title, content };
  const both = join(content.trimEnd(), added);
  return {
    title: free ? shared.title : title,
    content: countCodePoints(content) >= limits.details ? content : truncate(both, limits.details),
  };
}

function join(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first}\n\n${second}`;
}

/** Without what the server refuses: control characters but tabs and line breaks, halves of characters. */
function cleanText(text = ''): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .trim();
}

function parseWebUrl(url = ''): string {
  const address = URL.parse(url.trim());
  return address !== null && /^https?:$/u.test(address.protocol) ? address.href : '';
}
