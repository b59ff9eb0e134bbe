import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { sql } from 'kysely';
import type { PostKind } from '#shared/core/fields.ts';
import { createRandom, type Random } from '../fill/random.ts';
import { createCampaign, type SpamText } from './spam-texts.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type PlantedPost = SpamText & { kind: PostKind; author: number; at: Date; removedAt: Date };

/**
 * Plants spam in an imported community: campaigns of some weeks over its whole time, each of accounts that write one to
 * four posts, most of them within a day after they registered. A moderator deletes a post some hours later, one in ten
 * after days. The posts are rows as a moderator's deletion leaves them. Returns how many were planted.
 */
export async function plantSpam(
  db: Database,
  { seed, share }: { seed: number; share: number },
): Promise<number> {
  const random = createRandom(seed);
  const { rows } = await sql<{ posts: number; from: Date; to: Date }>`
    select count(*) as posts, min(created_at) as from, max(created_at) as to from (
      select created_at from question union all select created_at from answer union all select created_at from reply
    ) post`.execute(db);
  const { posts: size, from, to } = rows[0] ?? { posts: 0, from: new Date(), to: new Date() };
  const quotes = await listSentences(db);
  const wanted = Math.round(size * share);
  const posts: PlantedPost[] = [];
  while (posts.length < wanted) {
    const start = from.getTime() + random.next() * (to.getTime() - from.getTime());
    const write = createCampaign(random, { isLate: start > (from.getTime() + to.getTime()) / 2 });
    const length = (7 + random.below(50)) * dayMs;
    for (let accounts = 3 + random.below(12); accounts > 0; accounts -= 1) {
      const registered = Math.min(start + random.next() * length, to.getTime() - dayMs);
      const age = random.chance(0.8) ? random.next() * 12 * hourMs : random.next() * 90 * dayMs;
      const author = await insertAccount(db, new Date(registered - age));
      let at = registered;
      for (let count = 1 + random.below(4); count > 0; count -= 1) {
        at += random.next() * 2 * hourMs;
        const kind = random.chance(0.5) ? 'answer' : random.chance(0.6) ? 'question' : 'reply';
        const delay = random.chance(0.1) ? random.next() * 6 * dayMs : random.next() ** 2 * 20 * hourMs;
        const text = write(kind, random.of(quotes));
        posts.push({ ...text, kind, author, at: new Date(at), removedAt: new Date(at + delay) });
      }
    }
  }
  // The order of the decisions is the order of the numbers, as in a real community.
  posts.sort((a, b) => a.removedAt.getTime() - b.removedAt.getTime());
  await transaction(db, async (tx) => {
    for (const post of posts) await insertRemovedPost(tx, post, random);
  });
  return posts.length;
}

async function listSentences(db: Database): Promise<string[]> {
  const { rows } = await sql<{ content: string }>`
    select content from answer where length(content) > 200 order by id limit 2000`.execute(db);
  return rows.map(({ content }) => content.split(/(?<=[.!?])\s/u)[0]?.slice(0, 300) ?? '');
}

async function insertAccount(db: Database, at: Date): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into member (display_name, created_at) values ('Planted', ${at}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

async function insertRemovedPost(tx: Tx, post: PlantedPost, random: Random): Promise<void> {
  const { kind, author, at, title, content, removedAt } = post;
  const questionId = kind === 'question' ? null : await chooseQuestion(tx, at, random);
  const { rows } = await (
    kind === 'question' || questionId === null
      ? sql<{ id: number }>`
        insert into base_question (author_id, title, content, excerpt, excerpt_cut, created_at, active_at)
        values (${author}, ${title}, ${content}, '', false, ${at}, ${at}) returning id`
      : kind === 'answer'
        ? sql<{ id: number }>`
          insert into base_answer (question_id, author_id, content, created_at)
          values (${questionId}, ${author}, ${content}, ${at}) returning id`
        : sql<{ id: number }>`
          insert into base_reply (question_id, level, author_id, content, created_at)
          values (${questionId}, 0, ${author}, ${content}, ${at}) returning id`
  ).execute(tx);
  const id = rows[0]?.id ?? 0;
  const stored = questionId === null ? 'question' : kind;
  await sql`
    with hidden as (
      insert into hidden_post (post_kind, post_id, question_id, author_id, status, reason, created_at)
      values (${stored}, ${id}, ${questionId ?? id}, ${author}, 'hidden', 'Spam', ${removedAt}) returning id
    )
    update ${sql.table(`base_${stored}`)} set hidden_by = (select id from hidden) where id = ${id}`.execute(
    tx,
  );
}

/** A question that was there at that time; null before the first. */
async function chooseQuestion(tx: Tx, at: Date, random: Random): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select id from question where created_at < ${at} order by created_at desc offset ${random.below(50)} limit 1`.execute(
    tx,
  );
  return rows[0]?.id ?? null;
}
