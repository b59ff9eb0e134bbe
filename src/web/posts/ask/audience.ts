import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { Audience } from '#shared/discovery/similar.ts';

/** Who will hear of a question, before it is posted; undefined while it has no tags. */
export function describeAudience(audience: Audience | undefined): string {
  if (audience === undefined)
    return t`People who follow its tags will see your question in their following feed.`;
  const { members, tags } = audience;
  const names = formatNames(
    tags.filter(({ followers }) => members === 0 || followers > 0).map(({ name }) => name),
  );
  if (members === 0)
    return t`Nobody follows ${names} yet. Whoever searches or comes by will find your question.`;
  return plural(members, {
    one: `One person who follows ${names} will see it in their following feed.`,
    other: `# people who follow ${names} will see it in their following feed.`,
  });
}

/** The same once it is posted; null where there is nobody to tell of. */
export function postedMessage({ members }: Audience): string | null {
  if (members === 0) return null;
  return plural(members, {
    one: 'Posted. One person who follows its tags sees it in their following feed.',
    other: 'Posted. # people who follow its tags see it in their following feed.',
  });
}

/** 'javascript, css or html'. */
function formatNames(names: readonly string[]): string {
  return new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(names);
}
