import { tagKey } from '#shared/core/text.ts';
import type { ProposedTag } from '#shared/posts/tag-proposals.ts';
import { parseTags } from '#shared/posts/tags.ts';

/** The typed tags that the member proposes, by key, with the reason. A draft has them as JSON. */
export type TagProposals = Readonly<Record<string, string>>;

export function parseTagProposals(text: string): TagProposals {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

/** Sets the reason of a proposal; null ends it. Returns the text for the draft, empty without proposals. */
export function changeTagProposals(text: string, name: string, reason: string | null): string {
  const { [tagKey(name)]: _, ...others } = parseTagProposals(text);
  const changed = reason === null ? others : { ...others, [tagKey(name)]: reason };
  return Object.keys(changed).length === 0 ? '' : JSON.stringify(changed);
}

/** Separates the typed tags into those of the question and those that are proposed, as the API takes them. */
export function splitTags(draft: { tags: string; proposals: string }): {
  tags: string[];
  proposedTags?: ProposedTag[];
} {
  const proposals = parseTagProposals(draft.proposals);
  const typed = parseTags(draft.tags);
  const isProposed = (name: string) => Object.hasOwn(proposals, tagKey(name));
  const proposedTags = typed
    .filter(isProposed)
    .map((name) => ({ name, reason: proposals[tagKey(name)]?.trim() ?? '' }));
  return {
    tags: typed.filter((name) => !isProposed(name)),
    ...(proposedTags.length > 0 && { proposedTags }),
  };
}
