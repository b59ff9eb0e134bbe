import { tagKey } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';
import { normalizeTag, parseTags } from '#shared/posts/tags.ts';

/** The tag being typed: the text after the last comma. */
export function getUnfinishedTag(typed: string): string {
  return normalizeTag(typed.slice(typed.lastIndexOf(',') + 1));
}

/** Adds a tag to the field, replacing the unfinished one that it completes. Ends with a comma for the next. */
export function insertTag(typed: string, tag: string): string {
  const unfinished = getUnfinishedTag(typed);
  const completes = unfinished !== '' && tagKey(tag).includes(tagKey(unfinished));
  const tagsBefore = parseTags(completes ? typed.slice(0, typed.lastIndexOf(',') + 1) : typed);
  const tags = [...tagsBefore.filter((each) => tagKey(each) !== tagKey(tag)), tag];
  return tags.length < limits.tagsPerQuestion ? `${tags.join(', ')}, ` : tags.join(', ');
}

/** Whether one more tag can be added. */
export function canAddTag(typed: string): boolean {
  const complete = getUnfinishedTag(typed) === '' ? parseTags(typed) : parseTags(typed).slice(0, -1);
  return complete.length < limits.tagsPerQuestion;
}

export function hasTag(typed: string, tag: string): boolean {
  return parseTags(typed).some((each) => tagKey(each) === tagKey(tag));
}
