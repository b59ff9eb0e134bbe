import { existsSync } from 'node:fs';
import path from 'node:path';

/** The root of the checkout. */
export const projectRoot = path.resolve(import.meta.dirname, '../../..');

export const migrationsDirectory = path.join(projectRoot, 'migrations');

/** How messages name Parley's commands: with npm in a checkout, directly in a runtime directory (`npm run runtime`). */
export const commandLines = existsSync(path.join(projectRoot, 'scripts'))
  ? { start: 'npm start', demo: 'npm start -- --demo', parley: 'npm run parley --' }
  : { start: 'parley serve', demo: 'parley serve --demo', parley: 'parley' };
