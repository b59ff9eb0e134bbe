import './lib/node-version.mjs';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getPinnedNode, runScript } from './lib/project.mjs';

/** The tests that compare a generated document with the code or the database. */
const files = [
  'src/server/admin/settings.test.ts',
  'tests/integration/permissions.test.ts',
  'tests/integration/schema.test.ts',
];

/** `npm run documents`: writes docs/permissions.md, docs/schema.sql and docs/settings.md. */
await runScript(async () => {
  await installPackages();
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...files];
  return runInForeground(getPinnedNode(), [...vitest, '--testNamePattern', '^docs/', '--update']);
});
