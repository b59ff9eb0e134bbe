import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';

/** A merged tag, and the tag that it becomes a synonym of. Both are locked. */
type MergedTags = { from: { id: number; name: string }; into: { id: number; name: string }; limit: number };

/**
 * Moves some follows of a merged tag. A member who has muted the other tag still mutes it and follows neither. Returns
 * the events to publish.
 */
export async function moveSomeTagFollows(tx: Tx, { from, into, limit }: MergedTags): Promise<TopicEvent[]> {
  const { rows } = await sql<{ member_id: number; added: boolean; from_count: number; into_count: number }>`
    with removed as (
      delete from tag_follow where tag_id = ${from.id} and member_id in (
        select member_id from tag_follow where tag_id = ${from.id} limit ${sql.lit(limit)}
      ) returning member_id, created_at
    ), added as (
      insert into tag_follow (tag_id, member_id, created_at)
      select ${into.id}::bigint, member_id, created_at from removed
      where not exists (select from tag_mute where tag_id = ${into.id} and member_id = removed.member_id)
      on conflict do nothing returning member_id
    ), counted as (
      update tag set followers_count = followers_count + case id
        when ${from.id} then -(select count(*) from removed) else (select count(*) from added) end
      where id in (${from.id}, ${into.id}) returning id, followers_count
    )
    select member_id, member_id in (select member_id from added) as added,
      (select followers_count from counted where id = ${from.id}) as from_count,
      (select followers_count from counted where id = ${into.id}) as into_count
    from removed`.execute(tx);
  const [first] = rows;
  if (first === undefined) return [];
  const events: TopicEvent[] = rows.flatMap(({ member_id: id, added }): TopicEvent[] => [
    { topic: `member:${id}`, event: { kind: 'follows-changed', tag: from.name, following: false } },
    ...(added
      ? [
          {
            topic: `member:${id}` as const,
            event: { kind: 'follows-changed' as const, tag: into.name, following: true },
          },
        ]
      : []),
  ]);
  const counts: TopicEvent[] = [
    {
      topic: 'tags',
      event: { kind: 'tag-followers-changed', tag: from.name, followersCount: first.from_count },
    },
    {
      topic: 'tags',
      event: { kind: 'tag-followers-changed', tag: into.name, followersCount: first.into_count },
    },
  ];
  return [...events, ...counts];
}

/** Moves some mutes of a merged tag. A member who follows the other tag still follows it and mutes neither. */
export async function moveSomeTagMutes(tx: Tx, { from, into, limit }: MergedTags): Promise<TopicEvent[]> {
  const { rows } = await sql<{ member_id: number; added: boolean }>`
    with removed as (
      delete from tag_mute where tag_id = ${from.id} and member_id in (
        select member_id from tag_mute where tag_id = ${from.id} limit ${sql.lit(limit)}
      ) returning member_id, created_at
    ), added as (
      insert into tag_mute (tag_id, member_id, created_at)
      select ${into.id}::bigint, member_id, created_at from removed
      where not exists (select from tag_follow where tag_id = ${into.id} and member_id = removed.member_id)
      on conflict do nothing returning member_id
    )
    select member_id, member_id in (select member_id from added) as added from removed`.execute(tx);
  return rows.flatMap(({ member_id: id, added }): TopicEvent[] => [
    { topic: `member:${id}`, event: { kind: 'mutes-changed', tag: from.name, muted: false } },
    ...(added
      ? [
          {
            topic: `member:${id}` as const,
            event: { kind: 'mutes-changed' as const, tag: into.name, muted: true },
          },
        ]
      : []),
  ]);
}
