import path from 'node:path';
import babel from '@rolldown/plugin-babel';
import { defineConfig, type Plugin } from 'vitest/config';
import { heavyFiles } from './scripts/lib/tiers.mjs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files of each project run first, in this order: at the end nothing would run in parallel with them. */
const longest = [
  'start',
  'stack-exchange-real-archives',
  'openapi',
  'received-emails-kill',
  'os-accounts',
  'pgbouncer',
  'stack-exchange-refresh-real',
  'permissions',
  'startup-errors',
  'jsonl-import',
  'email-replies',
  'serve',
  'webhooks-kill',
  'email-templates',
  'email',
  'replicas',
  'changes-mirror',
  'import-undo',
  'response-cache',
  'account-recovery',
  'rolling-restart',
  'email-digests',
  'query-plans',
  'open-transactions',
  'jsonl-real-archive',
  'test',
  'live-typing-presence',
  'kill',
  'registrations',
  'backup',
  'hostile-texts',
  'multiple-nodes',
  'drain',
  'write-limits',
  'deployment',
  'stack-exchange-refresh',
  'sign-in-limits',
  'secret',
  'install',
  'applications',
  'uploads',
  'search',
  'sign-in-providers',
  'statistics',
  'stack-exchange-import',
  'messages',
  'mutes',
  'bookmarks',
  'public-files',
  'moderation',
];

/** One project after the other: for a file of another project, Vitest starts a new worker, which loads the server again. */
const projectsInOrder = ['heavy', 'heavy alone', 'server', 'alone', 'web'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = super.sort.bind(this);
    const sorted = await inOrder(files);
    const position = ({ moduleId }: TestSpecification) => {
      const index = longest.indexOf(path.basename(moduleId, '.test.ts'));
      return index === -1 ? longest.length : index;
    };
    const rank = ({ project }: TestSpecification) => projectsInOrder.indexOf(project.name);
    return sorted.toSorted((one, other) => rank(one) - rank(other) || position(one) - position(other));
  }
}

/**
 * Packages as the server loads them. Vitest would choose the development builds of micromark, which check each step and
 * take twice as long.
 */
const packagesOfTheServer: Plugin = {
  name: 'packages-of-the-server',
  enforce: 'post',
  configEnvironment(_, { resolve }) {
    if (resolve?.conditions === undefined) return;
    resolve.conditions = resolve.conditions.filter((condition) => condition !== 'development|production');
  },
};

/** Files that check state a process shares between its databases: the prepared statements. */
const alone = 'src/server/core/database.test.ts';
const aloneAndHeavy = 'src/server/discovery/search-size.test.ts';

const heavy = heavyFiles.filter((file) => file.endsWith('.test.ts'));

/** A worker runs the server, its clients and the tests: more room for new objects means fewer garbage collections. */
const execArgv = ['--min-semi-space-size=16', '--max-semi-space-size=32', '--initial-old-space-size=200'];

const ofWeb = ['src/web/**/*.test.ts', 'src/web/**/*.test.tsx'];

/** The tests of server, shared code and scripts. Browser tests use Playwright. */
export default defineConfig({
  // The macros for texts, as in vite.config.ts.
  plugins: [
    babel({ include: /src\/web\//, plugins: ['@lingui/babel-plugin-lingui-macro'] }),
    packagesOfTheServer,
  ],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...ofWeb, alone, ...heavy],
          globalSetup: ['tests/support/global-setup.ts'],
          // Loading the server takes longer than most test files. Its cached state is per database, and each file has
          // its own database. A hook must be in the test file or in a function it calls: at the top level of a shared
          // module it would only belong to the first file that loads the module.
          isolate: false,
          execArgv,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: [alone], globalSetup: ['tests/support/global-setup.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: heavy,
          exclude: [aloneAndHeavy],
          globalSetup: ['tests/support/global-setup.ts'],
          isolate: false,
          execArgv,
        },
      },
      {
        extends: true,
        test: {
          name: 'heavy alone',
          include: [aloneAndHeavy],
          globalSetup: ['tests/support/global-setup.ts'],
        },
      },
      // The modules of the web app hold the state of one page.
      { extends: true, test: { name: 'web', include: ofWeb, pool: 'threads' } },
    ],
    setupFiles: ['tests/support/english-messages.ts'],
    // Each worker has a pool of connections to the same PostgreSQL.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only to end tests that hang: many start whole servers, on busy machines.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The tests of the colors read this file. Other styles are not needed.
    css: { include: [/theme\.css/] },
    restoreMocks: true,
  },
});
