import { unnamedMember } from '#server/core/sql.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { type RawBuilder, sql } from 'kysely';
import type { TopicEvent } from '#server/core/events.ts';
import type { Topic } from '#shared/core/events.ts';

/** Posts of all kinds, by id. */
export type PostIds = {
  questionIds: readonly number[];
  answerIds: readonly number[];
  replyIds: readonly number[];
};

/** Every select of a post joins its author as `author` and its source as `source`. */
export const bylineJoins = sql`
  left join member author on author.id = post.author_id
  left join import_source source on source.id = post.source_id`;

/**
 * Author and source of a post, as arguments of `json_build_object`.
 * @param shown whether they are shown
 */
export const bylineJson = (kind: PostKind, shown: RawBuilder<unknown> = sql`true`) => sql`
  'authorId', case when ${shown} then post.author_id end,
  'authorName', case when ${shown} then coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) else '' end,
  'authorAvatar', case when ${shown} then author.avatar end,
  'authorIsBot', ${shown} and coalesce(author.is_bot, false),
  ${sourceJson(kind, shown)}`;

/**
 * The original of an imported post on its site, which the licence requires to be shown, as an argument of
 * `json_build_object`.
 */
export const sourceJson = (kind: PostKind, shown: RawBuilder<unknown> = sql`true`) => sql`
  'source', case when ${shown} and source.site is not null and post.source_key is not null then json_build_object(
    'site', source.site,
    'url', ${sourceAddress(sql.lit(sourcePaths[kind]), sql`post.source_key`)},
    'authorUrl', case when author.source_id = post.source_id then ${sourceAddress(sql`'users'`, sql`author.source_key`)} end,
    'license', coalesce(post.source_license, ${sql.lit(defaultLicense)})
  ) end`;

const sourcePaths: Readonly<Record<PostKind, string>> = {
  question: 'questions',
  answer: 'a',
  reply: 'posts/comments',
};

const defaultLicense = 'CC BY-SA 4.0';

/**
 * The address of an original on its site. A key of digits is the number on a Stack Exchange site, any other is the path of
 * the page (docs/decisions/104).
 */
export const getSourceAddress = (site: string, path: string, key: string): string =>
  `https://${site}/${/^\d+$/.test(key) ? `${path}/` : ''}${key}`;

/** The same in SQL. */
const sourceAddress = (path: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
  'https://' || source.site || '/' || case when ${key} ~ '^[0-9]+$' then ${path} || '/' else '' end || ${key}`;

/** The topics with events about the names and avatars of the authors. */
export function listAuthorTopics(authorIds: Iterable<number | null>): Topic[] {
  return [...new Set(authorIds)].filter((id) => id !== null).map((id): Topic => `profile:${id}`);
}

/** Whether an event about an author's profile changes the name or avatar. Undefined for other events. */
export function isAuthorRename({ topic, event }: TopicEvent): boolean | undefined {
  return topic.startsWith('profile:') ? event.kind === 'member-renamed' : undefined;
}
