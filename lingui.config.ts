import { readdirSync } from 'node:fs';
import path from 'node:path';
import { extractor } from '@lingui/cli/api';
import { defineConfig, type ExtractorType } from '@lingui/conf';
import { formatter } from '@lingui/format-po';
import { findServerMessages } from './scripts/lib/find-messages.ts';
import { limits } from './src/shared/core/limits.ts';

const folder = 'src/web/languages';
const constants = new Map(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value]));

/** What server and shared code say in English; the browser looks it up by its words (core/errors.ts). */
const sentences: ExtractorType = {
  match: (file) => /\/src\/(server|shared)\/.*(?<!\.test)\.ts$/u.test(file),
  extract(file, code, found) {
    const onlyRefusals = file.includes('/src/server/');
    for (const { text, line } of findServerMessages(code, { constants, onlyRefusals }))
      found({ id: text, message: text, origin: [file, line] });
  },
};

/** The texts of the interface: English in the code, every other language a file in one folder. */
export default defineConfig({
  sourceLocale: 'en',
  locales: readdirSync(path.join(import.meta.dirname, folder))
    .filter((name) => name.endsWith('.po'))
    .map((name) => path.basename(name, '.po')),
  catalogs: [
    {
      path: `<rootDir>/${folder}/{locale}`,
      include: ['<rootDir>/src/web', '<rootDir>/src/shared', '<rootDir>/src/server'],
      exclude: ['**/*.test.ts', '**/import-export/**'],
    },
  ],
  extractors: [sentences, extractor],
  // Line numbers would change with every edit of the code.
  format: formatter({ lineNumbers: false }),
  orderBy: 'message',
});
