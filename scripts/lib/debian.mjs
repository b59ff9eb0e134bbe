import { existsSync } from 'node:fs';
import { runCaptured } from './child-process.mjs';
import { withLock } from './lock.mjs';

/** Whether this process may install Debian packages. */
export const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/**
 * Installs Debian packages, while no others are being installed. Returns the error message, if any.
 * @param {string[]} parameters of `apt-get install`
 */
export const installDebianPackages = (...parameters) => withLock(() => runInstallation(parameters));

/** @param {string[]} selection */
async function runInstallation(selection) {
  // In run level 1, Debian's packages do not start their services.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const parameters of [['update'], ['install', '-y', ...selection]]) {
    const { code, output } = await runCaptured('apt-get', parameters, { env });
    if (code !== 0) return output.trim();
  }
  return undefined;
}
