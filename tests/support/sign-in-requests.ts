import type { OwnProviderAccount } from '#shared/identity/sign-in-providers.ts';
import { createSignUpCookie } from '#server/identity/providers-sign-up.ts';
import { signInAtProvider } from './oidc-provider.ts';
import { defaultSettings } from './server.ts';
import { generateTotpCode, startTwoFactorSetup, disableTwoFactor, enableTwoFactor } from './two-factor.ts';
import {
  addPasskey,
  SoftwareAuthenticator,
  type PasskeyOptions,
  createPasskeySignIn,
} from './webauthn-authenticator.ts';
import { type ApiClient, expectOk, type Member, password, register } from './member.ts';

/**
 * Valid bodies of operations that continue another one: they need its response, in the same browser. Changes the
 * sender's account and cookies as needed.
 */
export const followUpRequests: Readonly<
  Record<string, (sender: Member) => Promise<Record<string, unknown>>>
> = {
  'POST /two-factor/setup': async (sender) => {
    await disableTwoFactor(sender);
    return { password };
  },
  'PUT /two-factor': async (sender) => {
    await disableTwoFactor(sender);
    const { setup, code } = await startTwoFactorSetup(sender);
    return { setup, code };
  },
  'POST /two-factor/recovery-codes': async (sender) => {
    await disableTwoFactor(sender);
    await enableTwoFactor(sender);
    return { password };
  },
  'POST /two-factor/removal': async (sender) => {
    await disableTwoFactor(sender);
    await enableTwoFactor(sender);
    return { password };
  },
  'POST /session/two-factor': async (sender) => {
    const careful = await register(sender.address, 'Careful');
    const key = await enableTwoFactor(careful);
    expectOk(await sender.signIn(careful.email, password));
    return { code: generateTotpCode(key, 1) };
  },
  'POST /session/passkey': async (sender) => {
    const { authenticator } = await addPasskey(await register(sender.address, 'Keyed'));
    return createPasskeySignIn(sender, authenticator);
  },
  'POST /session/provider/callback': async (sender) => ({
    query: await returnFromProvider(sender, `new.${sender.email}`),
    provider: 'oidc',
  }),
  'POST /session/provider/registration': async (sender) => {
    const email = `answers.${sender.email}`;
    const wanted = { provider: 'oidc' };
    const { url } = expectOk(await sender.post<{ url: string }>('/session/provider', wanted));
    const account = { providerId: `oidc ${new URL(url).origin}`, subject: email };
    const cookie = createSignUpCookie(defaultSettings);
    const [pair = ''] = cookie
      .set({ ...wanted, account, email, isVerified: true, names: ['Answers'], invitation: null })
      .split(';');
    sender.cookies.set(...splitPair(pair));
    return {};
  },
  'POST /session/provider/link': async (sender) => {
    expectOk(
      await sender.post('/session/provider/callback', {
        query: await returnFromProvider(sender, sender.email),
      }),
    );
    return { password };
  },
  'POST /provider-accounts/{id}/removal': async (sender) => {
    const { items } = expectOk(await sender.get<{ items: OwnProviderAccount[] }>('/provider-accounts'));
    if (items.some(({ since }) => since !== null)) return { password };
    const { url } = expectOk(await sender.post<{ url: string }>('/provider-accounts/oidc', { password }));
    const query = await signInAtProvider(url, `other.${sender.email}`);
    expectOk(await sender.post('/session/provider/callback', { query }));
    return { password };
  },
  'POST /passkeys': async (sender) => {
    const options = expectOk(await sender.post<PasskeyOptions>('/passkeys/options', { password }));
    return { name: 'Phone', credential: new SoftwareAuthenticator().create(options, sender.address) };
  },
};

/** The query string with which the provider sends the sender's browser back, for a person with this `email`. */
async function returnFromProvider(sender: ApiClient, email: string): Promise<string> {
  const { url } = expectOk(await sender.post<{ url: string }>('/session/provider', { provider: 'oidc' }));
  return signInAtProvider(url, email);
}

/** The name and the value of a cookie. */
function splitPair(pair: string): [string, string] {
  const [name = '', ...value] = pair.split('=');
  return [name, value.join('=')];
}
