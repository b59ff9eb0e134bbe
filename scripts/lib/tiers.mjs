import path from 'node:path';

/**
 * The files of the heavy tier, which only npm test -- --all runs: what takes long and tests no feature by itself, such as
 * kill rounds, replicas and plans at size. Every other file with tests is in the fast tier.
 */
export const heavyFiles = [
  'tests/heavy/**/*.test.ts',
  'tests/heavy/**/*.spec.ts',
  'tests/integration/pgbouncer.test.ts',
  'tests/e2e/rolling-restart.spec.ts',
];

/** @param {string} file relative to the project */
export function isHeavy(file) {
  return heavyFiles.some((pattern) => path.matchesGlob(file, pattern));
}
