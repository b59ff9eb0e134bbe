import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { project } from './project.mjs';

/**
 * The files of the heavy tier, which only npm test -- --all runs: tests that start whole servers or kill them, need other
 * programs or a large database, repeat at length what a fast test covers, or are among the slowest of their area. Of the
 * browser tests, the fast tier runs a few journeys per area. It may take six minutes on two cores.
 */
export const heavyFiles = [
  'tests/heavy/**/*.test.ts',
  'tests/integration/api-token-permissions.test.ts',
  'tests/integration/clock-skew.test.ts',
  'tests/integration/concurrent-writes.test.ts',
  'tests/integration/hidden-rows-migration.test.ts',
  'tests/integration/permissions.test.ts',
  'tests/integration/published-events.test.ts',
  'tests/integration/rate-limits.test.ts',
  'tests/integration/response-cache.test.ts',
  'tests/integration/simultaneous-requests.test.ts',
  'bench/fill/fill.test.ts',
  'scripts/deployment.test.ts',
  'scripts/install.test.ts',
  'scripts/start.test.ts',
  'scripts/test.test.ts',
  'src/server/admin/account-merge.test.ts',
  'src/server/admin/profile-claims-identity.test.ts',
  'src/server/admin/sign-in-providers.test.ts',
  'src/server/admin/statistics.test.ts',
  'src/server/core/event-stream.test.ts',
  'src/server/core/job-queue.test.ts',
  'src/server/core/live-typing-presence.test.ts',
  'src/server/core/log.test.ts',
  'src/server/core/metrics.test.ts',
  'src/server/core/request-limits-middleware.test.ts',
  'src/server/core/secret.test.ts',
  'src/server/discovery/search-load.test.ts',
  'src/server/discovery/search-size.test.ts',
  'src/server/engagement/votes-network-limits.test.ts',
  'src/server/identity/account-recovery.test.ts',
  'src/server/identity/registrations.test.ts',
  'src/server/identity/sign-in-limits.test.ts',
  'src/server/identity/sign-in-timing.test.ts',
  'src/server/import-export/convert-apache-answer.test.ts',
  'src/server/import-export/convert-github.test.ts',
  'src/server/import-export/convert-question2answer.test.ts',
  'src/server/import-export/demo.test.ts',
  'src/server/import-export/export-tag-texts.test.ts',
  'src/server/import-export/export.test.ts',
  'src/server/import-export/import-undo.test.ts',
  'src/server/import-export/imported-pictures.test.ts',
  'src/server/import-export/jsonl-claims.test.ts',
  'src/server/import-export/jsonl-files.test.ts',
  'src/server/import-export/jsonl-import.test.ts',
  'src/server/import-export/stack-exchange-badges.test.ts',
  'src/server/import-export/stack-exchange-claims.test.ts',
  'src/server/import-export/stack-exchange-closings.test.ts',
  'src/server/import-export/stack-exchange-content.test.ts',
  'src/server/import-export/stack-exchange-conversion.test.ts',
  'src/server/import-export/stack-exchange-duplicates.test.ts',
  'src/server/import-export/stack-exchange-errors.test.ts',
  'src/server/import-export/stack-exchange-import.test.ts',
  'src/server/import-export/stack-exchange-moderated-posts.test.ts',
  'src/server/import-export/stack-exchange-newer-archive.test.ts',
  'src/server/import-export/stack-exchange-odd-rows.test.ts',
  'src/server/import-export/stack-exchange-packed.test.ts',
  'src/server/import-export/stack-exchange-places.test.ts',
  'src/server/import-export/stack-exchange-refresh-real.test.ts',
  'src/server/import-export/stack-exchange-refresh.test.ts',
  'src/server/import-export/stack-exchange-site-history.test.ts',
  'src/server/import-export/stack-exchange-size.test.ts',
  'src/server/import-export/stack-exchange-sources.test.ts',
  'src/server/import-export/stack-exchange-tag-texts.test.ts',
  'src/server/import-export/stack-exchange-versions.test.ts',
  'src/server/integrations/changes-imports.test.ts',
  'src/server/integrations/public-files.test.ts',
  'src/server/integrations/webhooks-delivery.test.ts',
  'src/server/notifications/email-replies-routes.test.ts',
  'src/server/notifications/email-replies.test.ts',
  'src/server/moderation/applications.test.ts',
  'src/server/moderation/removals-command.test.ts',
  'src/server/moderation/removals.test.ts',
  'src/server/notifications/email-digests.test.ts',
  'src/server/notifications/email-templates.test.ts',
  'src/server/notifications/email.test.ts',
  'src/server/operations/backup-scheduler.test.ts',
  'src/server/operations/backup.test.ts',
  'src/server/operations/doctor.test.ts',
  'src/server/operations/integrity-check.test.ts',
  'src/server/posts/idempotency.test.ts',
  'src/server/posts/mentions-suggestions.test.ts',
  'src/server/posts/questions-document.test.ts',
  'src/server/posts/revisions.test.ts',
  'src/server/posts/uploads-object-store.test.ts',
  'src/server/posts/uploads.test.ts',
  'src/server/posts/write-limits.test.ts',
  'tests/e2e/*.spec.ts',
  'tests/integration/row-locks.test.ts',
];

/** @param {string} file relative to the project */
export function isHeavy(file) {
  return heavyFiles.some((pattern) => path.matchesGlob(file, pattern));
}

const testDirectories = ['bench', 'scripts', 'src', 'tests'];

/**
 * The test files of both tiers whose paths contain one of the filters, relative to the project. A filter may end with the
 * line of a test, which its files then have as well: 'votes.spec.ts:12'.
 * @param {'test' | 'spec'} kind
 * @param {readonly string[]} filters
 * @returns {string[]}
 */
export function findTestFiles(kind, filters) {
  const found = testDirectories
    .filter((directory) => existsSync(path.join(project, directory)))
    .flatMap((directory) => {
      const names = readdirSync(path.join(project, directory), { encoding: 'utf8', recursive: true });
      return names.map((name) => path.posix.join(directory, name));
    });
  const files = found.filter((file) => new RegExp(`\\.${kind}\\.tsx?$`).test(file)).toSorted();
  return filters.flatMap((filter) => {
    const [, name = '', line = ''] = /^(?:\.\/)?(.*?)(:\d+)?$/.exec(filter) ?? [];
    return files.filter((file) => file.includes(name)).map((file) => file + line);
  });
}
