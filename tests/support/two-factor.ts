import { Secret, TOTP } from 'otpauth';
import type { TwoFactorSetup, TwoFactorState } from '#shared/identity/two-factor.ts';
import { expectOk, type Member, password } from './member.ts';

/** What an authenticator app with that key shows, now or in so many periods of 30 seconds. */
export function generateTotpCode(key: string, periods = 0): string {
  return new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + periods * 30_000 });
}

/** What switching on is sent: the member has typed the password, and the app shows its first code. */
export async function startTwoFactorSetup(member: Member) {
  const { key, setup } = expectOk(await member.post<TwoFactorSetup>('/second-factor/setup', { password }));
  return { key, setup, code: generateTotpCode(key) };
}

/** Gives a member an authenticator app; returns its key. The member knows the recovery codes. */
export async function enableTwoFactor(member: Member): Promise<string> {
  const { key, ...start } = await startTwoFactorSetup(member);
  const { recoveryCodes } = expectOk(await member.put<{ recoveryCodes: string[] }>('/second-factor', start));
  member.recoveryCodes = recoveryCodes;
  return key;
}

/** Takes the second factor off a member again, where there is one. */
export async function disableTwoFactor(member: Member): Promise<void> {
  const { enabledAt } = expectOk(await member.get<TwoFactorState>('/second-factor'));
  if (enabledAt !== null) expectOk(await member.post('/second-factor/removal', { password }));
  member.recoveryCodes = [];
}
