import { defineConfig, devices } from '@playwright/test';
import { heavyFiles } from './scripts/lib/tiers.mjs';

const chromium = process.env['PARLEY_CHROMIUM'];
// Set by the global setup, before the workers read this file again.
const baseURL = process.env['PARLEY_E2E_ADDRESS'];

/** The file whose tests take longest, most of it waiting, begins: at the end nothing else would run beside it. */
const longest = /\/typing-presence\.spec\.ts$/;

/** Those of the heavy tier: npm test -- --help explains. */
const heavy = heavyFiles.filter((file) => file.endsWith('.spec.ts')).map((file) => `**/${file}`);

/** The tests in a real browser, against a server of their own; `npm test` finds or installs the browser. */
export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/global-setup.ts',
  fullyParallel: true,
  forbidOnly: process.env['CI'] === 'true',
  workers: 2,
  // A test that fails once and then passes is listed as flaky and does not fail the run.
  retries: 1,
  // Twice what Playwright has: a machine that builds, serves and browses on two slow cores is late, not wrong.
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  projects: [
    { name: 'longest', testMatch: longest },
    { name: 'others', testIgnore: [longest, ...heavy] },
    { name: 'heavy', testMatch: heavy },
  ],
  use: {
    ...devices['Desktop Chrome'],
    screenshot: 'only-on-failure',
    // Costs a quarter of the time; whoever looks into a failure asks for it: --trace on.
    trace: 'off',
    // It would fetch the whole build once for each test; the tests that are about it allow it.
    serviceWorkers: 'block',
    ...(baseURL && { baseURL }),
    ...(chromium && { launchOptions: { executablePath: chromium } }),
  },
});
