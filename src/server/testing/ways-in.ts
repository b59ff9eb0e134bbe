import type { OwnProviderAccount } from '#shared/providers.ts';
import { visitProvider } from './identity-provider.ts';
import { appCode, secondFactorStart, switchSecondFactorOff, switchSecondFactorOn } from './second-factor.ts';
import { addPasskey, Authenticator, type Options, passkeySignIn } from './authenticator.ts';
import { type Caller, done, type Member, password, register } from './member.ts';

/**
 * Right bodies of the operations that go on from another one: they need what that answered with, in the browser that
 * asked for it. Leaves what is needed in the sender's account and cookies.
 */
export const goingOn: Readonly<Record<string, (sender: Member) => Promise<Record<string, unknown>>>> = {
  'POST /second-factor/setup': async (sender) => {
    await switchSecondFactorOff(sender);
    return { password };
  },
  'PUT /second-factor': async (sender) => {
    await switchSecondFactorOff(sender);
    const { setup, code } = await secondFactorStart(sender);
    return { setup, code };
  },
  'POST /second-factor/recovery-codes': async (sender) => {
    await switchSecondFactorOff(sender);
    await switchSecondFactorOn(sender);
    return { password };
  },
  'POST /second-factor/removal': async (sender) => {
    await switchSecondFactorOff(sender);
    await switchSecondFactorOn(sender);
    return { password };
  },
  'POST /session/second-factor': async (sender) => {
    const careful = await register(sender.address, 'Careful');
    const key = await switchSecondFactorOn(careful);
    done(await sender.signIn(careful.email, password));
    return { code: appCode(key, 1) };
  },
  'POST /session/passkey': async (sender) => {
    const { authenticator } = await addPasskey(await register(sender.address, 'Keyed'));
    return passkeySignIn(sender, authenticator);
  },
  'POST /session/provider/return': async (sender) => ({
    query: await visited(sender, `new.${sender.email}`),
  }),
  'POST /session/provider/link': async (sender) => {
    done(await sender.post('/session/provider/return', { query: await visited(sender, sender.email) }));
    return { password };
  },
  'POST /provider-account/removal': async (sender) => {
    if (done(await sender.get<OwnProviderAccount>('/provider-account')).since !== null) return { password };
    const { url } = done(await sender.post<{ url: string }>('/provider-account', { password }));
    const query = await visitProvider(url, `other.${sender.email}`);
    done(await sender.post('/session/provider/return', { query }));
    return { password };
  },
  'POST /passkeys': async (sender) => {
    const options = done(await sender.post<Options>('/passkeys/options', { password }));
    return { name: 'Phone', credential: new Authenticator().make(options, sender.address) };
  },
};

/** What the provider sends the sender's browser back with, whose address there is `email`. */
async function visited(sender: Caller, email: string): Promise<string> {
  const { url } = done(await sender.post<{ url: string }>('/session/provider', {}));
  return visitProvider(url, email);
}
