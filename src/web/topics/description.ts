import { t } from '@lingui/core/macro';
import { translateServerMessage } from '#web/platform/said.ts';

/** What a topic is about: the words for the known ones, else 'Discussion about {tag}', in the language shown. */
export function translateTagDescription({
  name,
  description,
}: {
  name: string;
  description: string;
}): string {
  return description === `Discussion about ${name}`
    ? t`Discussion about ${name}`
    : translateServerMessage(description);
}
