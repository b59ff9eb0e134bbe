import { type Catalogues, setCatalogues } from '#server/notifications/sent-texts.ts';

/** Not a static import: the configuration of the build belongs to another project of TypeScript. */
const source = new URL('../../vite.config.texts.ts', import.meta.url).href;

/** Uses the translations of the sources, also if there is no build or an earlier one. */
export async function loadSentTexts(): Promise<void> {
  const { readSentTexts } = (await import(source)) as { readSentTexts: () => Promise<Catalogues> };
  setCatalogues(await readSentTexts());
}
