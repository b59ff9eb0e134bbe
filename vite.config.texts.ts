import path from 'node:path';
import { getConfig } from '@lingui/conf';
import { createCompiledCatalog, getCatalogForFile, getCatalogs } from '@lingui/cli/api';
import type { Plugin } from 'vite';

const file = 'src/web/languages/en.po';
const target = path.resolve(import.meta.dirname, 'src/web/languages/english.ts');

/**
 * Gives each module of the browser part the English texts it names by their ids, compiled. In one file, every page
 * would load those of all others; the other languages are one file each, which whoever reads English never loads.
 */
export function englishTexts(): Plugin {
  let texts: Promise<Readonly<Record<string, unknown>>> | undefined;
  return {
    name: 'parley:english-texts',
    transform: {
      order: 'post',
      filter: { id: /\/src\/web\/(?!worker\/).*\.tsx?$/u },
      async handler(code) {
        texts ??= compiled();
        const known = await texts;
        // Ids are hashes, as @lingui/babel-plugin-lingui-macro makes them.
        const ids = [...code.matchAll(/["'`]([\w+/]{6})["'`]/gu)].map(([, id = '']) => id);
        const own = Object.fromEntries(
          [...new Set(ids)].filter((id) => id in known).map((id) => [id, known[id]]),
        );
        if (Object.keys(own).length === 0) return null;
        const from = JSON.stringify(target);
        return {
          code: `${code}\nimport { english as parleyEnglish } from ${from};\nObject.assign(parleyEnglish, ${JSON.stringify(own)});\n`,
          map: null,
        };
      },
    },
  };
}

async function compiled(): Promise<Record<string, unknown>> {
  const config = getConfig();
  const found = getCatalogForFile(file, await getCatalogs(config));
  if (!found) throw new Error(`${file} is in no catalogue of lingui.config.ts.`);
  const { messages } = await found.catalog.getTranslations('en', {
    fallbackLocales: {},
    sourceLocale: 'en',
  });
  const { source, errors } = createCompiledCatalog('en', messages, { namespace: 'json' });
  if (errors.length > 0) throw new Error(`${file} holds texts that cannot be compiled.`);
  return (JSON.parse(source) as { messages: Record<string, unknown> }).messages;
}
