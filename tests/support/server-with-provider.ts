import { afterAll, beforeEach } from 'vitest';
import { startOidcProvider, type TestOidcProvider } from './oidc-provider.ts';
import { type TestDelivery, startTestServer, type TestServer } from './server.ts';

/** Mails go to nobody: nothing listens there. */
export const unreachableEmailServer = { url: 'smtp://127.0.0.1:1', from: 'parley@example.org' };

/**
 * A Parley whose members can sign in at a provider, and that provider, for the tests of one file: no test meets the limits
 * on rates that those before it reached, and both are stopped after the last.
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
