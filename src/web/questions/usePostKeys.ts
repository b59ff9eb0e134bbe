import { useShortcuts } from '#web/platform/shortcuts.ts';

/** The keys that act on the focused post (`j` and `k` step through them); on the question when none is focused. */
export function usePostKeys(): void {
  useShortcuts({
    upvote: () => press('u'),
    downvote: () => press('d'),
    reply: () => press('r'),
    edit: () => press('e'),
    fold: () => press('c'),
    bookmark: () => press('b'),
  });
}

function press(key: 'u' | 'd' | 'r' | 'e' | 'c' | 'b'): void {
  const post = document.activeElement?.closest('[data-post]') ?? document.getElementById('question');
  if (post === null) return;
  const button =
    post.querySelector<HTMLElement>(`[data-key="${key}"]`) ??
    document.querySelector<HTMLElement>(`[data-key="${key}"][data-for="${post.id}"]`);
  button?.click();
}
