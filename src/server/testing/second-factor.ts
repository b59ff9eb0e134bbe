import { Secret, TOTP } from 'otpauth';
import type { SecondFactorSetup, SecondFactorState } from '#shared/second-factor.ts';
import { done, type Member, password } from './member.ts';

/** What an authenticator app with that key shows, now or in so many periods of 30 seconds. */
export function appCode(key: string, periods = 0): string {
  return new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + periods * 30_000 });
}

/** What switching on is sent: the member has typed the password, and the app shows its first code. */
export async function secondFactorStart(member: Member) {
  const { key, setup } = done(await member.post<SecondFactorSetup>('/second-factor/setup', { password }));
  return { key, setup, code: appCode(key) };
}

/** Gives a member an authenticator app; returns its key. The member knows the recovery codes. */
export async function switchSecondFactorOn(member: Member): Promise<string> {
  const { key, ...start } = await secondFactorStart(member);
  const { recoveryCodes } = done(await member.put<{ recoveryCodes: string[] }>('/second-factor', start));
  member.recoveryCodes = recoveryCodes;
  return key;
}

/** Takes the second factor off a member again, where there is one. */
export async function switchSecondFactorOff(member: Member): Promise<void> {
  const { since } = done(await member.get<SecondFactorState>('/second-factor'));
  if (since !== null) done(await member.post('/second-factor/removal', { password }));
  member.recoveryCodes = [];
}
