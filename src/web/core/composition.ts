import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/**
 * Whether the key belongs to the input of a character, such as Enter that chooses a word. The Enter that ends it comes
 * after the composition in Safari, with the key code of an input method.
 */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229;
}

/**
 * A listener that leaves a field or closes what a button opens when Esc is pressed. Esc also ends the input of a
 * character.
 */
export const onEscape = (leave: (() => void) | undefined) => (event: ReactKeyboardEvent) => {
  if (event.key === 'Escape' && !isComposing(event.nativeEvent)) leave?.();
};
