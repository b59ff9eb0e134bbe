import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { Audience } from '#shared/discovery/similar.ts';
import type { ProposedTag } from '#shared/posts/tag-proposals.ts';

/** Who will see a question, before it is posted; null without followers. @param audience undefined without tags */
export function describeAudience(audience: Audience | undefined): string | null {
  if (audience === undefined)
    return t`People who follow its tags will see your question in their following feed.`;
  const { members, tags } = audience;
  if (members === 0) return null;
  const names = formatNames(tags.filter(({ followers }) => followers > 0).map(({ name }) => name));
  return plural(members, {
    one: `One person who follows ${names} will see it in their following feed.`,
    other: `# people who follow ${names} will see it in their following feed.`,
  });
}

/** The same after posting; null if no one is notified. */
export function postedMessage(audience: Audience | undefined): string | null {
  const members = audience?.members ?? 0;
  if (members === 0) return null;
  return plural(members, {
    one: 'Posted. One person who follows its tags sees it in their following feed.',
    other: 'Posted. # people who follow its tags see it in their following feed.',
  });
}

/** Says that the moderators decide about tags; null if none is proposed. */
export function proposedMessage(tags: readonly ProposedTag[] | undefined): string | null {
  if (tags === undefined) return null;
  const names = tags.map(({ name }) => `“${name}”`).join(', ');
  return t`Posted. Moderators will decide about ${names}.`;
}

/** 'javascript, css or html'. */
function formatNames(names: readonly string[]): string {
  return new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(names);
}
