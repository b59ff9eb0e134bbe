import { afterAll, beforeEach } from 'vitest';
import { startOidcProvider, type TestOidcProvider } from './oidc-provider.ts';
import { type TestDelivery, startTestServer, type TestServer } from './server.ts';

/** Discards emails: nothing listens at this port. */
export const unreachableEmailServer = {
  url: 'smtp://127.0.0.1:1',
  from: 'parley@example.org',
  replyAddress: 'reply@example.org',
  replySecret: 'a-secret-that-only-the-provider-knows',
};

/**
 * Starts a server whose members can sign in with a provider, and that provider, for the tests of one file. Resets rate
 * limits before each test and stops both after the last.
 */
export async function startServerWithProvider(
  outgoing?: TestDelivery,
): Promise<{ server: TestServer; provider: TestOidcProvider }> {
  const provider = await startOidcProvider();
  const server = await startTestServer({ identityProvider: provider.settings }, outgoing);
  provider.registerClient(server.address);
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });
  beforeEach(() => server.resetRateLimits());
  return { server, provider };
}
