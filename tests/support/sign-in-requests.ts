import type { OwnProviderAccount } from '#shared/identity/sign-in-providers.ts';
import { signInAtProvider } from './oidc-provider.ts';
import { generateTotpCode, startTwoFactorSetup, disableTwoFactor, enableTwoFactor } from './two-factor.ts';
import {
  addPasskey,
  SoftwareAuthenticator,
  type PasskeyOptions,
  createPasskeySignIn,
} from './webauthn-authenticator.ts';
import { type ApiClient, expectOk, type Member, password, register } from './member.ts';

/**
 * Right bodies of the operations that go on from another one: they need what that answered with, in the browser that
 * asked for it. Leaves what is needed in the sender's account and cookies.
 */
export const followUpRequests: Readonly<
  Record<string, (sender: Member) => Promise<Record<string, unknown>>>
> = {
  'POST /second-factor/setup': async (sender) => {
    await disableTwoFactor(sender);
    return { password };
  },
  'PUT /second-factor': async (sender) => {
    await disableTwoFactor(sender);
    const { setup, code } = await startTwoFactorSetup(sender);
    return { setup, code };
  },
  'POST /second-factor/recovery-codes': async (sender) => {
    await disableTwoFactor(sender);
    await enableTwoFactor(sender);
    return { password };
  },
  'POST /second-factor/removal': async (sender) => {
    await disableTwoFactor(sender);
    await enableTwoFactor(sender);
    return { password };
  },
  'POST /session/second-factor': async (sender) => {
    const careful = await register(sender.address, 'Careful');
    const key = await enableTwoFactor(careful);
    expectOk(await sender.signIn(careful.email, password));
    return { code: generateTotpCode(key, 1) };
  },
  'POST /session/passkey': async (sender) => {
    const { authenticator } = await addPasskey(await register(sender.address, 'Keyed'));
    return createPasskeySignIn(sender, authenticator);
  },
  'POST /session/provider/return': async (sender) => ({
    query: await returnFromProvider(sender, `new.${sender.email}`),
  }),
  'POST /session/provider/link': async (sender) => {
    expectOk(
      await sender.post('/session/provider/return', {
        query: await returnFromProvider(sender, sender.email),
      }),
    );
    return { password };
  },
  'POST /provider-account/removal': async (sender) => {
    if (expectOk(await sender.get<OwnProviderAccount>('/provider-account')).since !== null)
      return { password };
    const { url } = expectOk(await sender.post<{ url: string }>('/provider-account', { password }));
    const query = await signInAtProvider(url, `other.${sender.email}`);
    expectOk(await sender.post('/session/provider/return', { query }));
    return { password };
  },
  'POST /passkeys': async (sender) => {
    const options = expectOk(await sender.post<PasskeyOptions>('/passkeys/options', { password }));
    return { name: 'Phone', credential: new SoftwareAuthenticator().create(options, sender.address) };
  },
};

/** What the provider sends the sender's browser back with, whose address there is `email`. */
async function returnFromProvider(sender: ApiClient, email: string): Promise<string> {
  const { url } = expectOk(await sender.post<{ url: string }>('/session/provider', {}));
  return signInAtProvider(url, email);
}
