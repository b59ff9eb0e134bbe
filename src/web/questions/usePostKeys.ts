import { useShortcuts } from '#web/platform/shortcuts.ts';

/** The keys that act on the focused post (`j` and `k` step through them); on the question when none is focused. */
export function usePostKeys(): void {
  useShortcuts([
    { keys: 'u', description: 'Upvote', run: () => press('u') },
    { keys: 'd', description: 'Downvote', run: () => press('d') },
    { keys: 'r', description: 'Reply', run: () => press('r') },
    { keys: 'e', description: 'Edit', run: () => press('e') },
    { keys: 'c', description: 'Hide or show the replies', run: () => press('c') },
  ]);
}

function press(key: 'u' | 'd' | 'r' | 'e' | 'c'): void {
  const post = document.activeElement?.closest('[data-post]') ?? document.getElementById('question');
  if (post === null) return;
  const button =
    post.querySelector<HTMLElement>(`[data-key="${key}"]`) ??
    document.querySelector<HTMLElement>(`[data-key="${key}"][data-for="${post.id}"]`);
  button?.click();
}
