import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Waits for a change, and reads the queries again, also if it failed. It does not wait for them: without a connection
 * they try until there is one, and a secret in the response could not be shown.
 */
export async function change<Result>(
  client: QueryClient,
  queryKey: QueryKey,
  pending: Promise<Result>,
): Promise<Result> {
  try {
    return await pending;
  } finally {
    void client.invalidateQueries({ queryKey });
  }
}
