import babel from '@rolldown/plugin-babel';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest, most of it waiting for processes to start: at the end nothing else would run beside them. */
const longest =
  /\/(real|serve|startup|replicas|users|start|rolling-restart|writers|nodes|drain|kill|secret|install|openapi)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = super.sort.bind(this);
    const sorted = await inOrder(files);
    const begins = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(begins), ...sorted.filter((file) => !begins(file))];
  }
}

/** The tests of server, shared and scripts; those in a browser are Playwright's. */
export default defineConfig({
  // The texts of the interface, as vite.config.ts has it.
  plugins: [babel({ include: /src\/web\//, plugins: ['@lingui/babel-plugin-lingui-macro'] })],
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: ['src/web/testing/english.ts'],
    globalSetup: ['src/server/testing/global-setup.ts'],
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
