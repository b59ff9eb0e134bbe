/** What somebody opened lately from the palette, newest first; `key` tells whether two are the same. */
export type Recent = {
  key: string;
  kind: 'question' | 'topic' | 'member' | 'command';
  label: string;
  href: string;
};

const prefix = 'recent';
const kept = 8;

export function readRecent(memberId: number): Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(memberId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, kept) : [];
  } catch {
    return [];
  }
}

export function keepRecent(memberId: number, opened: Recent): void {
  const others = readRecent(memberId).filter(({ key }) => key !== opened.key);
  try {
    localStorage.setItem(keyOf(memberId), JSON.stringify([opened, ...others].slice(0, kept)));
  } catch {
    // Storage can be forbidden or full; then nothing is remembered.
  }
}

/** Signed out, nobody sees on this machine what was read. */
export function forgetRecent(memberId: number): void {
  try {
    localStorage.removeItem(keyOf(memberId));
  } catch {
    // Where storage is forbidden, nothing was kept.
  }
}

function keyOf(memberId: number): string {
  return `${prefix}.${memberId}`;
}

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false;
  return (['key', 'kind', 'label', 'href'] as const).every(
    (name) => typeof (value as Partial<Recent>)[name] === 'string',
  );
}
