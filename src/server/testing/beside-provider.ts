import { afterAll, beforeEach } from 'vitest';
import { startProvider, type TestProvider } from './identity-provider.ts';
import { type Outgoing, startTestServer, type TestParley } from './server.ts';

/** Mails go to nobody: nothing listens there. */
export const mailToNobody = { url: 'smtp://127.0.0.1:1', from: 'parley@example.org' };

/**
 * A Parley whose members can sign in at a provider, and that provider, for the tests of one file: no test meets the limits
 * on rates that those before it reached, and both are stopped after the last.
 */
export async function startBesideProvider(
  outgoing?: Outgoing,
): Promise<{ server: TestParley; provider: TestProvider }> {
  const provider = await startProvider();
  const server = await startTestServer({ identityProvider: provider.settings }, outgoing);
  provider.allow(server.address);
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });
  beforeEach(() => server.forgetRates());
  return { server, provider };
}
