import { t } from '@lingui/core/macro';
import { said } from '#web/platform/said.ts';

/** What a topic is about: the words for the known ones, else 'Discussion about {tag}', in the language shown. */
export function descriptionOf({ tag, description }: { tag: string; description: string }): string {
  return description === `Discussion about ${tag}` ? t`Discussion about ${tag}` : said(description);
}
