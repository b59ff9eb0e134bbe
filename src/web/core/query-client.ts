import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isTransient } from './errors.ts';
import { fetchOrRestore } from './offline-cache.ts';
import { clearQueriesOnMemberChange, markSessionEnded } from './session.ts';

const maxRetryDelayMs = 5000;

/** One cache for what the server said. 'signed-out' anywhere means that the session has ended. */
export function createQueryClient(): QueryClient {
  const noticeEndedSession = (error: unknown) => {
    if (error instanceof ApiError && error.code === 'signed-out') markSessionEnded(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noticeEndedSession }),
    mutationCache: new MutationCache({ onError: noticeEndedSession }),
    defaultOptions: {
      queries: {
        // The browser's own idea of being online is unreliable; the requests tell.
        networkMode: 'always',
        persister: fetchOrRestore,
        staleTime: 15_000,
        gcTime: 30 * 60_000,
        retry: (_, error) => isTransient(error),
        retryDelay,
      },
      // A member who pressed a button hears at once that it failed; what they typed is kept as a draft.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  clearQueriesOnMemberChange(client);
  return client;
}

/** As the server asks, else doubling. */
function retryDelay(attempt: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (asked !== null) return Math.min(asked * 1000, 60_000);
  return Math.min(500 * 2 ** attempt, maxRetryDelayMs);
}
