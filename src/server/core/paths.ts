import path from 'node:path';

/** The checkout. */
export const projectRoot = path.resolve(import.meta.dirname, '../../..');
