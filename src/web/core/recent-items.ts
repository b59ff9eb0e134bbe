/** An item that the member recently opened from the palette, newest first. Items with the same `key` are equal. */
export type RecentItem = {
  key: string;
  kind: 'question' | 'tag' | 'member' | 'command';
  label: string;
  href: string;
};

const prefix = 'recent';
const maxItems = 8;

export function getRecentItems(memberId: number): RecentItem[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(memberId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecentItem).slice(0, maxItems) : [];
  } catch {
    return [];
  }
}

export function addRecentItem(memberId: number, opened: RecentItem): void {
  const otherItems = getRecentItems(memberId).filter(({ key }) => key !== opened.key);
  try {
    localStorage.setItem(keyOf(memberId), JSON.stringify([opened, ...otherItems].slice(0, maxItems)));
  } catch {
    // Storage can be blocked or full. Then nothing is stored.
  }
}

/** After a sign-out, others who use this browser must not see what was read. */
export function clearRecentItems(memberId: number): void {
  try {
    localStorage.removeItem(keyOf(memberId));
  } catch {
    // Without storage there is nothing to delete.
  }
}

function keyOf(memberId: number): string {
  return `${prefix}.${memberId}`;
}

function isRecentItem(value: unknown): value is RecentItem {
  if (typeof value !== 'object' || value === null) return false;
  return (['key', 'kind', 'label', 'href'] as const).every(
    (name) => typeof (value as Partial<RecentItem>)[name] === 'string',
  );
}
