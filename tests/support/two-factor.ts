import { Secret, TOTP } from 'otpauth';
import type { TwoFactorSetup, TwoFactorState } from '#shared/identity/two-factor.ts';
import { expectOk, type Member, password } from './member.ts';

/** The code that an authenticator app with this key shows now, or after `periods` periods of 30 seconds. */
export function generateTotpCode(key: string, periods = 0): string {
  return new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + periods * 30_000 });
}

/** The body that enables two-factor authentication, with the password and the app's first code. */
export async function startTwoFactorSetup(member: Member) {
  const { key, setup } = expectOk(await member.post<TwoFactorSetup>('/two-factor/setup', { password }));
  return { key, setup, code: generateTotpCode(key) };
}

/** Enables two-factor authentication for a member; returns the key. The member has the recovery codes. */
export async function enableTwoFactor(member: Member): Promise<string> {
  const { key, ...start } = await startTwoFactorSetup(member);
  const { recoveryCodes } = expectOk(await member.put<{ recoveryCodes: string[] }>('/two-factor', start));
  member.recoveryCodes = recoveryCodes;
  return key;
}

/** Disables two-factor authentication if it is enabled. */
export async function disableTwoFactor(member: Member): Promise<void> {
  const { enabledAt } = expectOk(await member.get<TwoFactorState>('/two-factor'));
  if (enabledAt !== null) expectOk(await member.post('/two-factor/removal', { password }));
  member.recoveryCodes = [];
}
