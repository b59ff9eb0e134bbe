import { defineConfig } from 'vitest/config';

/** The tests of server, shared and scripts; those in a browser are Playwright's. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'scripts/**/*.test.ts'],
    globalSetup: ['src/server/testing/global-setup.ts'],
    // Each worker has a pool of connections to the one PostgreSQL.
    maxWorkers: 4,
    // Only to end what hangs: many tests start whole servers, on machines that do other things as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The tests of the colours read them there; other styles are not needed.
    css: { include: [/theme\.css/] },
    restoreMocks: true,
  },
});
