import { countCodePoints, hasControlCharacters, tagKey } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';

/** What is wrong with a list of tags, as the sentence shown beside the field (docs/product.md 9). */
export type TagsProblem = string;

export const tooManyTagsMessage = `You can add up to ${limits.tagsPerQuestion} tags`;

/** One tag as stored: trimmed, one leading `#` dropped, runs of inner spaces made one. */
export function normalizeTag(raw: string): string {
  return raw.normalize('NFC').trim().replace(/^#/u, '').trim().replace(/\s+/gu, ' ');
}

/** Tags as typed in one field: separated by commas, empties dropped, duplicates folded to the first. */
export function parseTags(typed: string): string[] {
  return normalizeTags(typed.split(','));
}

/** Normalised tags without empties and duplicates, in the order given. */
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

/** @param tags normalised tags. Returns null when they may be used. */
export function findTagsProblem(tags: readonly string[]): TagsProblem | null {
  if (tags.length > limits.tagsPerQuestion) return tooManyTagsMessage;
  if (tags.some((tag) => countCodePoints(tag) > limits.tag))
    return `A tag can have up to ${limits.tag} characters`;
  if (tags.some((tag) => hasControlCharacters(tag))) return 'A tag cannot contain control characters';
  return null;
}

/** Preset descriptions (docs/product.md 9.4); any other tag reads 'Discussion about {tag}'. */
const descriptions: Readonly<Record<string, string>> = {
  javascript: 'The language of the web, in the browser and on the server',
  typescript: 'JavaScript with types: modelling, inference and tooling',
  react: 'Building user interfaces from components',
  python: 'Scripts, services, data and everything in between',
  'node.js': 'JavaScript on the server: runtimes, packages, performance',
  css: 'Layout, type and colour on the web',
  html: 'Structure and meaning of web pages',
  ai: 'Machine learning, language models and what to do with them',
  database: 'Storing, querying and keeping data safe',
  technology: 'Devices, systems and how they change our days',
  programming: 'The craft of writing software, in any language',
  career: 'Work, learning and getting on',
};

export function getTagDescription(tag: string): string {
  return descriptions[tagKey(tag)] ?? `Discussion about ${tag}`;
}
