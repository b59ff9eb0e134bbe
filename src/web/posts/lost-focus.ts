/** The key of the waiting post that had the focus when it went. */
let lostFocusKey: string | null = null;

export function rememberLostFocus(key: string): void {
  lostFocusKey = key;
}

/** The key, once, when the post that had the focus is among those; null too when something else has it by now. */
export function takeLostFocusKey(among: ReadonlyMap<string, unknown>): string | null {
  if (lostFocusKey === null || !among.has(lostFocusKey)) return null;
  const key = lostFocusKey;
  lostFocusKey = null;
  return document.activeElement === document.body ? key : null;
}
