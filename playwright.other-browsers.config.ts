import { defineConfig, type Project } from '@playwright/test';
import chromium from './playwright.config.ts';

const longest = '**/other-browsers/firefox.spec.ts';

const firefox: Project = {
  grep: /@firefox/u,
  use: {
    browserName: 'firefox',
    // Firefox as it is released, by WebDriver BiDi, instead of Playwright's own build.
    channel: 'moz-firefox',
    launchOptions: { executablePath: 'tests/e2e/support/firefox-for-playwright.mjs' },
  },
};

/**
 * The main journeys in Firefox and WebKit, in the programs that Debian has (npm test -- --only build,browsers). Playwright
 * drives Firefox; the tests of WebKit drive it with Selenium, without a browser of Playwright.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/global-setup.ts',
  fullyParallel: true,
  forbidOnly: process.env['CI'] === 'true',
  workers: 2,
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  projects: [
    { name: 'webkit', testMatch: '**/other-browsers/webkit.spec.ts' },
    // The longest test first.
    { ...firefox, name: 'firefox', testMatch: longest },
    { ...firefox, name: 'firefox, others', testIgnore: longest },
  ],
  use: {
    screenshot: 'only-on-failure',
    // A click on something that never appears fails sooner than its test, which may have three minutes.
    actionTimeout: 30_000,
    serviceWorkers: 'block',
    baseURL: chromium.use?.baseURL,
  },
});
