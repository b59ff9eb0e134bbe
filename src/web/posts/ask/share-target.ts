import { useLocation, useRouter } from '#web/core/router.ts';
import { useEffect, useEffectEvent } from 'react';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, truncate } from '#shared/core/text.ts';
import { paths } from '#web/core/paths.ts';
import type { AskDraft } from './ask-draft.ts';

/**
 * Content that another app shares through the system (`share_target` in public/manifest.webmanifest), from the address.
 */
export type SharedContent = {
  title?: string | undefined;
  text?: string | undefined;
  url?: string | undefined;
};

/** Adds shared content to the draft once and removes it from the address. */
export function useShareTarget(draft: AskDraft, setDraft: (change: Partial<AskDraft>) => void): void {
  const router = useRouter();
  const { search } = useLocation();
  const take = useEffectEvent((search: string) => {
    const shared = parseSharedContent(Object.fromEntries(new URLSearchParams(search)));
    if (shared === null) return;
    setDraft(mergeSharedContent(draft, shared));
    void router.navigate(paths.ask, { replace: true });
  });
  useEffect(() => take(search), [search]);
}

/** A title and details that can be posted, whatever the other app sent; null if nothing is left. */
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

/** Keeps the typed text and appends the shared content as far as it fits. */
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

/**
 * Removes characters that the server refuses: control characters except tabs and line breaks, and unpaired surrogates.
 */
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
