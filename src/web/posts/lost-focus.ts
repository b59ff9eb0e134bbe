/** The key of the waiting post that had the focus when it went. */
let lost: string | null = null;

export function loseFocus(key: string): void {
  lost = key;
}

/** The key, once, when the post that had the focus is among those; null too when something else has it by now. */
export function takeLostFocus(among: ReadonlyMap<string, unknown>): string | null {
  if (lost === null || !among.has(lost)) return null;
  const key = lost;
  lost = null;
  return document.activeElement === document.body ? key : null;
}
