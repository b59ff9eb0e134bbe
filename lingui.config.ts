import { readdirSync } from 'node:fs';
import path from 'node:path';
import { extractor } from '@lingui/cli/api';
import { defineConfig, type ExtractorType } from '@lingui/conf';
import { formatter } from '@lingui/format-po';
import { errorTable } from './src/shared/errors.ts';
import { sentTexts } from './src/shared/notifications/sent-texts.ts';
import { notificationKinds } from './src/shared/notifications/notification-kinds.ts';
import { settingCatalogue } from './src/shared/core/setting-catalogue.ts';
import type { SettingDefinition } from './src/shared/core/settings/setting-definition.ts';
import { tagDescriptions } from './src/shared/posts/tag-descriptions.ts';

const directory = 'src/web/languages';
/** Texts that the server sends in English with a code, or that the browser finds by their names. */
const sharedTexts: ExtractorType = {
  match: (file) => tables.some((table) => file.endsWith(table.file)),
  extract(file, _code, found) {
    for (const table of tables.filter((table) => file.endsWith(table.file)))
      for (const [id, message] of table.texts)
        found({ id, message, origin: [file, 1], comment: `English: ${message}` });
  },
};

/**
 * The ids under which the browser looks them up (`web/core/errors.ts`, `web/notifications/NotificationList.tsx`,
 * `web/discovery/tags/tags.ts`, `web/core/setting-texts.ts`), and the server (`server/notifications/sent-texts.ts`).
 */
const tables = [
  {
    file: '/src/shared/errors.ts',
    texts: Object.entries(errorTable).map(([code, [, text]]) => [`error.${code}`, text] as const),
  },
  {
    file: '/src/shared/notifications/notification-kinds.ts',
    texts: Object.entries(notificationKinds).map(
      ([kind, { message }]) => [`notification.${kind}`, message] as const,
    ),
  },
  { file: '/src/shared/notifications/sent-texts.ts', texts: Object.entries(sentTexts) },
  {
    file: '/src/shared/posts/tag-descriptions.ts',
    texts: Object.entries(tagDescriptions).map(([tag, text]) => [`tag.${tag}`, text] as const),
  },
  {
    file: '/src/shared/core/setting-catalogue.ts',
    texts: Object.entries<SettingDefinition>(settingCatalogue).flatMap(([name, definition]) => [
      [`setting.${name}`, definition.label] as const,
      [`setting.${name}.description`, definition.description] as const,
      // Languages have the same names everywhere.
      ...Object.entries(definition.type === 'choice' && name !== 'language' ? definition.options : {}).map(
        ([option, text]) => [`setting.${name}.${option}`, text] as const,
      ),
    ]),
  },
];

/** The texts of the interface: English in the code, every other language in a file of its own in one directory. */
export default defineConfig({
  sourceLocale: 'en',
  locales: readdirSync(path.join(import.meta.dirname, directory))
    .filter((name) => name.endsWith('.po'))
    .map((name) => path.basename(name, '.po')),
  catalogs: [
    {
      path: `<rootDir>/${directory}/{locale}`,
      include: ['<rootDir>/src/web', '<rootDir>/src/shared'],
      exclude: ['**/*.test.ts'],
    },
  ],
  extractors: [sharedTexts, extractor],
  // Line numbers would change with every edit of the code.
  format: formatter({ lineNumbers: false }),
  orderBy: 'message',
});
