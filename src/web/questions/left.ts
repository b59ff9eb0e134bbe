const key = 'left';

/** As many questions are remembered, those left last. */
const most = 50;

/**
 * Up to which post a member had seen a question when they left it, by visit: kept for the tab, since a reload asks for the
 * page before the server has heard that it was left.
 */
export function leftAt(visit: string): string | undefined {
  return readAll().find((entry) => entry.visit === visit)?.newest;
}

export function noteLeft(visit: string, newest: string): void {
  const others = readAll().filter((entry) => entry.visit !== visit);
  left = [{ visit, newest }, ...others].slice(0, most);
  try {
    sessionStorage.setItem(key, JSON.stringify(left));
  } catch {
    // Storage can be forbidden or full; then it lasts until the page is loaded anew.
  }
}

type Left = { visit: string; newest: string };

let left: Left[] | undefined;

function readAll(): Left[] {
  if (left !== undefined) return left;
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    left = Array.isArray(stored) ? stored.filter(isLeft) : [];
  } catch {
    left = [];
  }
  return left;
}

function isLeft(entry: unknown): entry is Left {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'visit' in entry &&
    typeof entry.visit === 'string' &&
    'newest' in entry &&
    typeof entry.newest === 'string'
  );
}
