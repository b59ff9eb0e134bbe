import babel from '@rolldown/plugin-babel';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest, most of it waiting for processes to start: at the end nothing else would run beside them. */
const longest =
  /\/(stack-exchange-real-archives|serve|startup-errors|replicas|os-accounts|start|rolling-restart|live-typing-presence|multiple-nodes|drain|kill|secret|install|openapi)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = super.sort.bind(this);
    const sorted = await inOrder(files);
    const begins = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    const isOfBrowser = ({ project }: TestSpecification) => project.name === 'browser part';
    const rank = (file: TestSpecification) => (begins(file) ? 0 : isOfBrowser(file) ? 2 : 1);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Those that look at what a process keeps for all of its databases: which statements it has prepared. */
const alone = ['src/server/core/database.test.ts', 'src/server/discovery/search-size.test.ts'];

const ofBrowser = ['src/web/**/*.test.ts', 'src/web/**/*.test.tsx'];

/** The tests of server, shared and scripts; those in a browser are Playwright's. */
export default defineConfig({
  // The texts of the interface, as vite.config.ts has it.
  plugins: [babel({ include: /src\/web\//, plugins: ['@lingui/babel-plugin-lingui-macro'] })],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'server part',
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...ofBrowser, ...alone],
          globalSetup: ['tests/support/global-setup.ts'],
          // Loading the server takes longer than most files' tests. What it keeps, it keeps for a database, and each file
          // has its own. A hook of a file's tests stands in that file, or in a function it calls: beside them, it would be
          // of the first file that loads the module.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, globalSetup: ['tests/support/global-setup.ts'] },
      },
      // Modules there keep what one page has.
      { extends: true, test: { name: 'browser part', include: ofBrowser } },
    ],
    setupFiles: ['tests/support/english-messages.ts'],
    // Each worker has a pool of connections to the one PostgreSQL.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only to end what hangs: many tests start whole servers, on machines that do other things as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The tests of the colours read them there; other styles are not needed.
    css: { include: [/theme\.css/] },
    restoreMocks: true,
  },
});
