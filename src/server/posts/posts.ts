import { unnamedMember } from '#server/core/sql.ts';
import type { PostKind, Source } from '#shared/core/fields.ts';
import { sql } from 'kysely';
import type { TopicEvent } from '#server/core/events.ts';
import type { Topic } from '#shared/core/events.ts';

/** Every select of a post joins its author as `author` and its source as `source`, and adds these columns. */
export const bylineColumns = sql`
  post.author_id,
  coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) as author_name,
  author.source_key as author_source_key,
  source.site as source_site,
  post.source_key,
  post.source_license`;

export const bylineJoins = sql`
  left join member author on author.id = post.author_id
  left join import_source source on source.id = post.source_id`;

export type BylineRow = {
  author_id: number | null;
  author_name: string;
  author_source_key: string | null;
  source_site: string | null;
  source_key: string | null;
  source_license: string | null;
};

/** The author and source of a post as the API gives them. */
export function toByline(row: BylineRow, kind: PostKind) {
  return { authorId: row.author_id, authorName: row.author_name, source: sourceOf(row, kind) };
}

/** Where the original stands on its Stack Exchange site, as the licence asks to be shown. */
function sourceOf(row: BylineRow, kind: PostKind): Source {
  if (row.source_site === null || row.source_key === null) return null;
  const site = `https://${row.source_site}`;
  const paths = { question: 'questions', answer: 'a', reply: 'posts/comments' };
  return {
    site: row.source_site,
    url: `${site}/${paths[kind]}/${row.source_key}`,
    authorUrl: row.author_source_key === null ? null : `${site}/users/${row.author_source_key}`,
    license: row.source_license ?? 'CC BY-SA 4.0',
  };
}

/** The times of a post as the API gives them. */
export function toTimes(row: { created_at: Date; edited_at: Date | null }) {
  return { createdAt: row.created_at.toISOString(), editedAt: row.edited_at?.toISOString() ?? null };
}

/** The topics that tell of the names which posts are shown with. */
export function listAuthorTopics(posts: Iterable<{ authorId: number | null }>): Topic[] {
  const ids = new Set<number>();
  for (const { authorId } of posts) if (authorId !== null) ids.add(authorId);
  return [...ids].map((id): Topic => `profile:${id}`);
}

/** Whether news of an author's profile is of their name; undefined for news of something else. */
export function isAuthorRename({ topic, event }: TopicEvent): boolean | undefined {
  return topic.startsWith('profile:') ? event.kind === 'member-renamed' : undefined;
}
