import { sql } from 'kysely';
import type { Database, Queryable } from '#server/core/database.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { limits } from '#shared/core/limits.ts';
import { isKeyUsed } from './idempotency.ts';

export type WriteLimits = ReturnType<typeof createWriteLimits>;

/** Who is new to a community: younger than so many days, with less reputation than so much. */
const newMember = { days: limits.newMemberDays, reputation: 20 } as const;

/** Links in one post from which on it counts as one with many. */
export const manyLinksFrom = 6;

/** Characters from which on an edited text counts as long: storing one costs as much as storing ten short ones. */
export const longEditFrom = 5_000;

/**
 * Against floods, not against busy people: 30 questions, 60 answers or replies, 60 edits and 300 votes in ten minutes are
 * never refused (docs/product.md 17.1). For newcomers the limits stand there, for others at twice that. Posts with many links
 * are what floods are mostly made of: a newcomer may write 20 of them in ten minutes. A newcomer may edit texts of 5,000
 * characters or more 10 times in ten minutes, other members 40 times.
 */
export function createWriteLimits(db: Database) {
  const seconds = 10 * 60;
  const lower = (points: number) => ({ points, holdsFor: filterNewMembers });
  const withManyLinks = createMemberLimit(db, {
    name: 'links',
    message: 'You have posted many links in a short time. Please wait a few minutes.',
    points: 120,
    seconds,
    lower: lower(20),
  });
  const ask = createMemberLimit(db, {
    name: 'ask',
    message: 'You have asked a lot in a short time. Please try again in a few minutes.',
    points: 60,
    seconds,
    lower: lower(30),
  });
  const write = createMemberLimit(db, {
    name: 'write',
    message: 'You have written a lot in a short time. Please try again in a few minutes.',
    points: 120,
    seconds,
    lower: lower(60),
  });
  const edit = createMemberLimit(db, {
    name: 'edit',
    message: 'You have edited a lot in a short time. Please try again in a few minutes.',
    points: 120,
    seconds,
    lower: lower(60),
  });
  const editLong = createMemberLimit(db, {
    name: 'edit-long',
    message: 'You have edited a lot in a short time. Please try again in a few minutes.',
    points: 40,
    seconds,
    lower: lower(10),
  });
  return {
    /** For each post; one that repeats an earlier request by its idempotency key takes nothing. */
    async post(kind: 'question' | 'answer' | 'reply', { memberId, key, text }: NewPost): Promise<void> {
      if (key !== undefined && (await isKeyUsed(db, memberId, key))) return;
      await (kind === 'question' ? ask : write)(memberId);
      if (linksIn(text) >= manyLinksFrom) await withManyLinks(memberId);
    },
    /** For each edit, with the text that a post gets. */
    async edit(memberId: number, text: string): Promise<void> {
      await edit(memberId);
      if (text.length >= longEditFrom) await editLong(memberId);
      if (linksIn(text) >= manyLinksFrom) await withManyLinks(memberId);
    },
    // Everything that a member writes, so that what has no limit of its own has this one. A draft is saved 600 times in ten
    // minutes of typing; each page that is opened writes once or twice.
    change: createMemberLimit(db, {
      name: 'change',
      message: 'That was a lot in a few seconds. Please wait a moment.',
      points: 3_000,
      seconds,
    }),
    // Somebody who types without a pause asks some 900 times in ten minutes.
    similarQuestions: createMemberLimit(db, {
      name: 'compare',
      message:
        'You have looked for similar questions a lot in a short time. Please try again in a few minutes.',
      points: 1200,
      seconds,
    }),
    // Somebody who looks through a bad day's posts flags some ten.
    report: createMemberLimit(db, {
      name: 'flag',
      message: 'You have flagged a lot in a short time. Please try again in a few minutes.',
      points: 60,
      seconds: 60 * 60,
    }),
    vote: createMemberLimit(db, {
      name: 'vote',
      message: 'You have voted a lot in a short time. Please try again in a few minutes.',
      points: 600,
      seconds,
      lower: lower(300),
    }),
  };
}

/** @param key the idempotency key of the request; undefined where there is none */
type NewPost = { memberId: number; key: string | undefined; text: string };

function linksIn(text: string): number {
  return text.match(/https?:\/\/|\bwww\./giu)?.length ?? 0;
}

export async function filterNewMembers(db: Queryable, memberIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from member where id = any(${memberIds}::bigint[])
      and created_at > now() - make_interval(days => ${newMember.days}) and reputation < ${newMember.reputation}`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
