import { projectRoot } from '#server/core/paths.ts';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const table = readFileSync(path.join(projectRoot, 'docs/security.md'), 'utf8');

test('docs/security.md names only files that exist', () => {
  const named = [...table.matchAll(/`((?:src|tests|bench|scripts)\/[^`\s]+)`/gu)].map(
    ([, file = '']) => file,
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((file) => !existsSync(path.join(projectRoot, file)))).toEqual([]);
});

test('docs/security.md quotes only test titles that the named file contains', () => {
  const named = [...table.matchAll(/`((?:src|tests)\/[^`\s]+)` › ([^;|`]+?)(?=[;|.]|, `| \|)/gu)];
  expect(named.length).toBeGreaterThan(8);
  const missing = named.filter(([, file = '', title = '']) => {
    const text = readFileSync(path.join(projectRoot, file), 'utf8').replaceAll('\\', '');
    return !text.includes(title.trim());
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

/** Files of the server with code that matches, without tests. */
function listFilesWith(pattern: RegExp): string[] {
  return globSync('src/server/**/*.ts', { cwd: projectRoot })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => pattern.test(readFileSync(path.join(projectRoot, file), 'utf8')))
    .toSorted();
}

test('only listed files start programs', () => {
  expect(listFilesWith(/^import (?!type ).*'(?:node:)?child_process'/mu)).toEqual([
    'src/server/core/limited-process.ts',
    'src/server/import-export/stack-exchange-packed.ts',
    'src/server/operations/system.ts',
    'src/server/postgres/embedded-account.ts',
    'src/server/postgres/embedded-cluster.ts',
    'src/server/postgres/embedded-orphan-cleanup.ts',
    'src/server/postgres/embedded-postmaster.ts',
  ]);
});

test('only listed files connect to other hosts', () => {
  const clients =
    /^import (?!type ).*'(?:(?:node:)?(?:https|http2|tls|dgram)|nodemailer|openid-client|undici)'|import\('(?:nodemailer|@aws-sdk\/client-s3)'\)|(?<![\w.])fetch\(|= fetch\b/mu;
  expect(listFilesWith(clients)).toEqual([
    'src/server/admin/profile-claims-page.ts',
    'src/server/core/email.ts',
    'src/server/core/object-store.ts',
    'src/server/core/web-push.ts',
    'src/server/identity/oidc-client.ts',
    'src/server/import-export/imported-pictures-download.ts',
    'src/server/integrations/webhooks-request.ts',
    // parley email reply: a node of this community.
    'src/server/notifications/email-replies.ts',
    // parley doctor: the own public address.
    'src/server/operations/doctor-check-settings.ts',
  ]);
});
