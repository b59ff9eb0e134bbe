import { writeFileSync } from 'node:fs';

/**
 * A Vitest reporter that writes errors outside tests to the file PARLEY_UNHANDLED_ERRORS. The reporter 'json' omits
 * them, although they fail the run. `file` is the test file that was running, if known.
 */
export default class UnhandledErrors {
  /**
   * @param {unknown} _modules
   * @param {readonly { VITEST_TEST_PATH?: string, stack?: string, message?: string }[]} errors
   */
  onTestRunEnd(_modules, errors) {
    const file = process.env['PARLEY_UNHANDLED_ERRORS'];
    if (file === undefined) return;
    const found = errors.map((error) => ({
      file: error.VITEST_TEST_PATH,
      error: error.stack ?? error.message,
    }));
    writeFileSync(file, JSON.stringify(found));
  }
}
