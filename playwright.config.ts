import { defineConfig, devices } from '@playwright/test';
import { heavyFiles } from './scripts/lib/tiers.mjs';

const chromium = process.env['PARLEY_CHROMIUM'];
// Set by the global setup before the workers read this file.
const baseURL = process.env['PARLEY_E2E_ADDRESS'];

/** The files of the heavy tier (npm test -- --help). */
const heavy = heavyFiles.filter((file) => file.endsWith('.spec.ts')).map((file) => `**/${file}`);

/** Browser tests against a server of their own. `npm test` finds or installs the browser. */
export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/global-setup.ts',
  fullyParallel: true,
  forbidOnly: process.env['CI'] === 'true',
  workers: 2,
  // A test that fails once and then passes is listed as flaky and does not fail the run.
  retries: 1,
  // Twice Playwright's default, because a machine that builds, serves and browses on two slow cores is slow.
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  // The long tests first: at the end nothing would run in parallel with them.
  projects: [
    { name: 'heavy', testMatch: heavy },
    { name: 'fast', testIgnore: [...heavy, '**/other-browsers/**'] },
  ],
  use: {
    ...devices['Desktop Chrome'],
    screenshot: 'only-on-failure',
    // Animations take a tenth of the time of a page. Some files of the heavy tier show them.
    contextOptions: { reducedMotion: 'reduce' },
    // A click on something that never appears fails sooner than its test, which may have three minutes.
    actionTimeout: 30_000,
    // Tracing takes a quarter of the time. Use --trace on to examine a failure.
    trace: 'off',
    // It would fetch the whole build in every test. Tests of the service worker allow it.
    serviceWorkers: 'block',
    ...(baseURL && { baseURL }),
    ...(chromium && {
      launchOptions: {
        executablePath: chromium,
        // A page is open for seconds: optimizing its scripts takes longer than running them unoptimized.
        args: ['--js-flags=--no-opt --no-maglev'],
      },
    }),
  },
});
