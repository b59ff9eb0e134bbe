import path from 'node:path';

/** The root of the checkout. */
export const projectRoot = path.resolve(import.meta.dirname, '../../..');

export const migrationsDirectory = path.join(projectRoot, 'migrations');
