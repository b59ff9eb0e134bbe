import { applyPatch, structuredPatch } from 'diff';
import type { EditedTexts } from '#server/posts/index.ts';
import { limits } from '#shared/core/limits.ts';
import { tagKey } from '#shared/core/text.ts';

/** Lines that may differ. A larger edit does not merge. */
const maxEditLength = 2_000;

/** Unchanged lines around a change that must be the same in both versions. */
const context = 2;

/**
 * Applies the changes from `base` to `suggested` to `current`. Null if both changed the same part, or if a merged
 * question would have too many tags.
 */
export function mergeEdit(
  base: EditedTexts,
  suggested: EditedTexts,
  current: EditedTexts,
): EditedTexts | null {
  const title = mergeValue(base.title, suggested.title, current.title);
  const content = mergeText(base.content, suggested.content, current.content);
  const tags = mergeTags(base.tags, suggested.tags, current.tags);
  if (title === undefined || content === undefined || tags === undefined) return null;
  return { title, content, tags };
}

function mergeValue<Value>(base: Value, suggested: Value, current: Value): Value | undefined {
  if (base === current || suggested === current) return suggested;
  return base === suggested ? current : undefined;
}

function mergeText(base: string, suggested: string, current: string): string | undefined {
  const whole = mergeValue(base, suggested, current);
  if (whole !== undefined) return whole;
  // The last line is then compared as every other line.
  const [from, to, onto] = [base, suggested, current].map((text) => `${text}\n`) as [string, string, string];
  const patch = structuredPatch('', '', from, to, '', '', { context, maxEditLength });
  const merged = patch === undefined ? false : applyPatch(onto, patch, { fuzzFactor: 0 });
  return merged === false || merged.trim() === '' ? undefined : merged.trim();
}

function mergeTags(
  base: string[] | null,
  suggested: string[] | null,
  current: string[] | null,
): string[] | null | undefined {
  if (base === null || suggested === null || current === null) return suggested;
  const without = (tags: readonly string[], others: readonly string[]) => {
    const keys = new Set(others.map(tagKey));
    return tags.filter((tag) => !keys.has(tagKey(tag)));
  };
  const isUnchanged = base.length === current.length && without(base, current).length === 0;
  if (isUnchanged) return suggested;
  const remaining = without(current, without(base, suggested));
  const merged = [...remaining, ...without(without(suggested, base), remaining)];
  return merged.length > limits.tagsPerQuestion ? undefined : merged;
}
