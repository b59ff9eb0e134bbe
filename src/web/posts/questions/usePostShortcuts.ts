import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';

/**
 * The shortcuts that act on the focused post (`j` and `k` move between posts), or on the question if none is focused.
 */
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
    post.querySelector<HTMLElement>(`[data-shortcut-key="${key}"]`) ??
    document.querySelector<HTMLElement>(`[data-shortcut-key="${key}"][data-shortcut-post="${post.id}"]`);
  button?.click();
}
