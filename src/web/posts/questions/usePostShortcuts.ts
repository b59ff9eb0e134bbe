import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';

/** The keys that act on the focused post (`j` and `k` step through them); on the question when none is focused. */
export function usePostShortcuts(): void {
  useShortcuts({
    upvote: () => pressPostButton('u'),
    downvote: () => pressPostButton('d'),
    reply: () => pressPostButton('r'),
    edit: () => pressPostButton('e'),
    fold: () => pressPostButton('c'),
    bookmark: () => pressPostButton('b'),
  });
}

function pressPostButton(key: 'u' | 'd' | 'r' | 'e' | 'c' | 'b'): void {
  const post = document.activeElement?.closest('[data-post]') ?? document.getElementById('question');
  if (post === null) return;
  const button =
    post.querySelector<HTMLElement>(`[data-key="${key}"]`) ??
    document.querySelector<HTMLElement>(`[data-key="${key}"][data-for="${post.id}"]`);
  button?.click();
}
