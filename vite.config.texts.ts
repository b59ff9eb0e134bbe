import path from 'node:path';
import { getConfig } from '@lingui/conf';
import { createCompiledCatalog, getCatalogForFile, getCatalogs } from '@lingui/cli/api';
import type { Plugin } from 'vite';

const englishFile = 'src/web/languages/en.po';
const target = path.resolve(import.meta.dirname, 'src/web/languages/english.ts');

/**
 * Adds to each module of the web app its compiled English messages, by the ids and error codes in its code. A single file
 * would make every page load the messages of all others. Each other language is one file, which English readers never load.
 */
export function englishTexts(): Plugin {
  let texts: Promise<Readonly<Record<string, unknown>>> | undefined;
  return {
    name: 'parley:english-texts',
    transform: {
      order: 'post',
      filter: { id: /\/src\/(shared|web\/(?!worker\/)).*\.tsx?$/u },
      async handler(code, file) {
        texts ??= compiled();
        const known = await texts;
        // Ids are hashes, as @lingui/babel-plugin-lingui-macro makes them.
        const ids = [...code.matchAll(/["'`]([\w+/]{6})["'`]/gu)].map(([, id = '']) => id);
        // Codes of errors, by which schemas and pages name their texts.
        for (const [, errorCode] of code.matchAll(/["'`]([a-z]+(?:-[a-z]+)*)["'`]/gu))
          ids.push(`error.${errorCode}`);
        if (file.includes('/notification-kinds.ts'))
          ids.push(...Object.keys(known).filter((id) => id.startsWith('notification.')));
        if (file.includes('/setting-texts.ts'))
          ids.push(...Object.keys(known).filter((id) => id.startsWith('setting.')));
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
  const catalogue = getCatalogForFile(englishFile, await getCatalogs(config));
  if (!catalogue) throw new Error(`${englishFile} is not in a catalogue of lingui.config.ts.`);
  const { messages } = await catalogue.catalog.getTranslations('en', {
    fallbackLocales: {},
    sourceLocale: 'en',
  });
  const { source, errors } = createCompiledCatalog('en', messages, { namespace: 'json' });
  if (errors.length > 0) throw new Error(`${englishFile} has messages that cannot be compiled.`);
  return (JSON.parse(source) as { messages: Record<string, unknown> }).messages;
}

/** The file with the translations of emails and push messages, for src/server/notifications/sent-texts.ts. */
export function sentTextsFile(): Plugin {
  return {
    name: 'parley:sent-texts',
    apply: 'build',
    async generateBundle() {
      const source = JSON.stringify(await readSentTexts());
      this.emitFile({ type: 'asset', fileName: 'sent-texts.json', source });
    },
  };
}

/** The translations of what the server sends, by language and id. */
export async function readSentTexts(): Promise<Record<string, Record<string, string>>> {
  const config = getConfig();
  const catalogue = getCatalogForFile(englishFile, await getCatalogs(config));
  if (!catalogue) throw new Error(`${englishFile} is not in a catalogue of lingui.config.ts.`);
  const entries = config.locales.map(async (locale) => {
    const { messages } = await catalogue.catalog.getTranslations(locale, {
      fallbackLocales: {},
      sourceLocale: 'en',
    });
    const texts = Object.entries(messages).filter(
      ([id, text]) => (isSent(id) || /^(?:error|notification)\./u.test(id)) && text !== '',
    );
    return [locale, Object.fromEntries(texts)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Leaves the texts that only the server sends out of the files for browsers, which @lingui/vite-plugin compiles. */
export function withoutSentTexts(): Plugin {
  return {
    name: 'parley:without-sent-texts',
    transform: {
      order: 'post',
      filter: { id: /\/languages\/[\w-]+\.po$/u },
      async handler(_code, file) {
        const found = getCatalogForFile(
          path.relative(import.meta.dirname, file),
          await getCatalogs(getConfig()),
        );
        if (!found) throw new Error(`${file} is not in a catalogue of lingui.config.ts.`);
        const { catalog, locale } = found;
        const { messages } = await catalog.getTranslations(locale, {
          fallbackLocales: {},
          sourceLocale: 'en',
        });
        const shown = Object.fromEntries(Object.entries(messages).filter(([id]) => !isSent(id)));
        const { source, errors } = createCompiledCatalog(locale, shown, { namespace: 'es' });
        if (errors.length > 0) throw new Error(`${file} has messages that cannot be compiled.`);
        return { code: source, map: null };
      },
    },
  };
}

const isSent = (id: string) => /^(?:email|push|chat|widget|page)\./u.test(id);
