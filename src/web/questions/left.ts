const storageKey = 'left';

/** As many questions are remembered, those left last. */
const maxEntries = 50;

/**
 * Up to which post a member had seen a question when they left it, by visit: kept for the tab, since a reload asks for the
 * page before the server has heard that it was left.
 */
export function getLastSeen(visit: string): string | undefined {
  return listLastSeen().find((entry) => entry.visit === visit)?.newest;
}

export function saveLastSeen(visit: string, newest: string): void {
  const others = listLastSeen().filter((entry) => entry.visit !== visit);
  lastSeen = [{ visit, newest }, ...others].slice(0, maxEntries);
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(lastSeen));
  } catch {
    // Storage can be forbidden or full; then it lasts until the page is loaded anew.
  }
}

type LastSeen = { visit: string; newest: string };

let lastSeen: LastSeen[] | undefined;

function listLastSeen(): LastSeen[] {
  if (lastSeen !== undefined) return lastSeen;
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
    lastSeen = Array.isArray(stored) ? stored.filter(isLastSeen) : [];
  } catch {
    lastSeen = [];
  }
  return lastSeen;
}

function isLastSeen(entry: unknown): entry is LastSeen {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'visit' in entry &&
    typeof entry.visit === 'string' &&
    'newest' in entry &&
    typeof entry.newest === 'string'
  );
}
