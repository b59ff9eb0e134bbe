import { countCodePoints, hasControlCharacters, hasVisibleCharacters, tagKey } from '#shared/core/text.ts';
import type { CodedError } from '#shared/errors.ts';
import { codedError } from '#shared/core/coded-error.ts';
import { tagDescriptions } from './tag-descriptions.ts';
import { limits } from '#shared/core/limits.ts';

/**
 * Normalizes a tag for storage: trims it, drops one leading `#`, folds runs of spaces. A tag without visible characters
 * becomes empty, and so do `.` and `..`: URLs drop such a segment, so these tags would have no page.
 */
export function normalizeTag(raw: string): string {
  const name = raw.normalize('NFC').trim().replace(/^#/u, '').trim().replace(/\s+/gu, ' ');
  return hasVisibleCharacters(name) && !/^\.{1,2}$/.test(name) ? name : '';
}

/** Parses tags typed in one field: separated by commas, without empty ones; of duplicates, only the first. */
export function parseTags(typed: string): string[] {
  return normalizeTags(typed.split(','));
}

/** Normalizes tags, without empty ones and duplicates, in order. */
export function normalizeTags(raw: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of raw) {
    const name = normalizeTag(tag);
    if (name === '') continue;
    const key = tagKey(name);
    if (!byKey.has(key)) byKey.set(key, name);
  }
  return [...byKey.values()];
}

/**
 * Returns the error of a list of tags, for their field (docs/product.md 9); null if they are valid.
 * @param tags normalised tags
 */
export function findTagsProblem(tags: readonly string[]): CodedError | null {
  if (tags.length > limits.tagsPerQuestion)
    return codedError('too-many-tags', { max: limits.tagsPerQuestion });
  if (tags.some((tag) => countCodePoints(tag) > limits.tag))
    return codedError('tag-too-long', { max: limits.tag });
  if (tags.some((tag) => hasControlCharacters(tag))) return codedError('tag-characters-not-allowed');
  return null;
}

export function getTagDescription(tag: string): string {
  return tagDescriptions[tagKey(tag)] ?? `Discussion about ${tag}`;
}
