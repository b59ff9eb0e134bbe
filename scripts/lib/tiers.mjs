import path from 'node:path';

/**
 * The files of the heavy tier, which only npm test -- --all runs: tests that start whole servers or kill them, need other
 * programs or a large database, or repeat at length what a fast test covers. All other tests are in the fast tier.
 */
export const heavyFiles = [
  'tests/heavy/**/*.test.ts',
  'tests/heavy/**/*.spec.ts',
  'tests/integration/clock-skew.test.ts',
  'tests/integration/concurrent-writes.test.ts',
  'tests/integration/permissions.test.ts',
  'tests/integration/published-events.test.ts',
  'tests/integration/response-cache.test.ts',
  'scripts/install.test.ts',
  'scripts/start.test.ts',
  'scripts/test.test.ts',
  'src/server/core/secret.test.ts',
  'src/server/import-export/stack-exchange-content.test.ts',
  'src/server/import-export/stack-exchange-errors.test.ts',
  'src/server/import-export/stack-exchange-moderated-posts.test.ts',
  'src/server/import-export/stack-exchange-newer-archive.test.ts',
  'src/server/import-export/stack-exchange-odd-rows.test.ts',
  'src/server/import-export/stack-exchange-sources.test.ts',
  'src/server/moderation/removals-command.test.ts',
  'src/server/operations/backup.test.ts',
  'tests/e2e/accessibility-of-dialogs.spec.ts',
  'tests/e2e/bulk-removal.spec.ts',
  'tests/e2e/layout.spec.ts',
  'tests/e2e/layout-shift.spec.ts',
  'tests/e2e/live-nodes.spec.ts',
  'tests/e2e/offline-queue-member.spec.ts',
  'tests/e2e/overlays-in-view.spec.ts',
  'tests/e2e/rolling-restart.spec.ts',
  'tests/e2e/typography.spec.ts',
];

/** @param {string} file relative to the project */
export function isHeavy(file) {
  return heavyFiles.some((pattern) => path.matchesGlob(file, pattern));
}
