import { setCatalogues } from '#server/notifications/sent-texts.ts';
import { readSentTexts } from '../../vite.config.texts.ts';

/** Uses the translations of the sources, also if there is no build or an earlier one. */
export async function useSentTexts(): Promise<void> {
  setCatalogues(await readSentTexts());
}
