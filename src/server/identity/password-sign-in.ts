import { ProblemError } from '#server/core/errors.ts';
import type { Tx } from '#server/core/database.ts';
import { lockSetting, readSiteSettings, type SiteSettings } from '#server/core/site-settings.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';

export type PasswordSignIn = ReturnType<typeof createPasswordSignIn>;

/**
 * Whether members sign in with an address and a password (docs/product.md 2.7). Admins switch it off with a site
 * setting. The operator can also switch it off in the environment, for all admins.
 */
export function createPasswordSignIn({
  settings,
  siteSettings,
}: {
  settings: Pick<OperatorSettings, 'hasPasswordSignIn' | 'hidesLoginReason'>;
  siteSettings: SiteSettings;
}) {
  const isOn = () => settings.hasPasswordSignIn && siteSettings.get('passwordSignIn');
  return {
    isOn,
    /** Whether it is on until the end of the transaction: it cannot be changed meanwhile. */
    async isOnDuring(tx: Tx): Promise<boolean> {
      await lockSetting(tx, 'passwordSignIn');
      return settings.hasPasswordSignIn && (await readSiteSettings(tx)).passwordSignIn;
    },
    /** Whether an error of a failed sign-in does not say which of address and password is wrong. */
    hidesReason: () => settings.hidesLoginReason || siteSettings.get('hideSignInReason'),
    /** @throws ProblemError 'disabled' */
    require() {
      if (!isOn()) throw new ProblemError('password-sign-in-disabled');
    },
  };
}
