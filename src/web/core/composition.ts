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
