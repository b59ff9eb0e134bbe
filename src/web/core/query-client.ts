import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isTransient } from './errors.ts';
import { fetchOrRestore } from './offline-cache.ts';
import { clearQueriesOnMemberChange, markSessionEnded, sessionQuery } from './session.ts';

const maxRetryDelayMs = 5000;

/** The query cache. An error of any request can mean that the session has ended or belongs to another member. */
export function createQueryClient(): QueryClient {
  const noticeEndedSession = (error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'signed-out') return;
    // The tab shows the other member then.
    if (error.code === 'other-member-signed-in')
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    else markSessionEnded(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noticeEndedSession }),
    mutationCache: new MutationCache({ onError: noticeEndedSession }),
    defaultOptions: {
      queries: {
        // `navigator.onLine` is unreliable. The outcome of requests decides.
        networkMode: 'always',
        ...(!import.meta.env.SSR && { persister: fetchOrRestore }),
        staleTime: 15_000,
        gcTime: 30 * 60_000,
        retry: (_, error) => !import.meta.env.SSR && isTransient(error),
        retryDelay,
      },
      // A failed action is reported immediately. The typed text is saved as a draft.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  clearQueriesOnMemberChange(client);
  return client;
}

/** The server's `Retry-After`, or else doubling delays. */
function retryDelay(attempt: number, error: Error): number {
  const retryAfterSeconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (retryAfterSeconds !== null) return Math.min(retryAfterSeconds * 1000, 60_000);
  return Math.min(500 * 2 ** attempt, maxRetryDelayMs);
}
