import { limits } from '#shared/core/limits.ts';
import { api, readJson } from '#web/core/api.ts';

type PendingRequest = { resolve: (title: string | null) => void; reject: (error: unknown) => void };

/** Requests of all texts of a page within this many milliseconds are combined into one. */
const batchWindowMs = 20;

let pendingRequests = new Map<number, PendingRequest[]>();

/** The title of a question; null if there is no such question. */
export const questionTitleQuery = (id: number) => ({
  queryKey: ['question-title', id],
  queryFn: () => loadTitle(id),
  staleTime: 10 * 60_000,
});

function loadTitle(id: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    if (pendingRequests.size === 0) window.setTimeout(() => void fetchPendingTitles(), batchWindowMs);
    pendingRequests.set(id, [...(pendingRequests.get(id) ?? []), { resolve, reject }]);
  });
}

async function fetchPendingTitles(): Promise<void> {
  const requests = [...pendingRequests];
  pendingRequests = new Map();
  for (let from = 0; from < requests.length; from += limits.questionTitles)
    await fetchBatch(requests.slice(from, from + limits.questionTitles));
}

async function fetchBatch(requests: readonly [number, PendingRequest[]][]): Promise<void> {
  try {
    const ids = requests.map(([id]) => id).join(',');
    const { items } = await readJson(api['question-titles'].$get({ query: { ids } }));
    const titles = new Map(items.map(({ id, title }) => [id, title]));
    for (const [id, callers] of requests) for (const { resolve } of callers) resolve(titles.get(id) ?? null);
  } catch (error) {
    for (const [, callers] of requests) for (const { reject } of callers) reject(error);
  }
}
