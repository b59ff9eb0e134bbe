import { sql } from 'kysely';
import type { Database, Queryable } from '#server/core/database.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { isKeyUsed } from './idempotency.ts';

export type WriteLimits = ReturnType<typeof createWriteLimits>;

/** A new member: registered within this many days, and with less reputation than this. */
const newMember = { days: serverLimits.newMemberDays, reputation: 20 } as const;

/** The number of links from which a post counts as one with many links. */
export const manyLinksFrom = 6;

/** The length from which an edited text counts as long, in characters. Storing one costs as much as ten short ones. */
export const longEditFrom = 5_000;

/**
 * Limits on writing that normal use never reaches: 30 questions, 60 answers or replies, 60 edits and 300 votes in ten
 * minutes are always accepted (docs/product.md 17.1). New members are limited there, others at twice that. Spam
 * consists mostly of posts with many links: a new member may write 20 of them in ten minutes. In ten minutes a new
 * member can edit texts of 5,000 characters or more 10 times, other members 40 times.
 */
export function createWriteLimits(db: Database) {
  const seconds = 10 * 60;
  const lower = (points: number) => ({ points, appliesTo: filterNewMembers });
  const withManyLinks = createMemberLimit(db, {
    name: 'links',
    code: 'too-many-links',
    points: 120,
    seconds,
    lower: lower(20),
  });
  const ask = createMemberLimit(db, {
    name: 'ask',
    code: 'too-many-questions',
    points: 60,
    seconds,
    lower: lower(30),
  });
  const write = createMemberLimit(db, {
    name: 'write',
    code: 'too-many-posts',
    points: 120,
    seconds,
    lower: lower(60),
  });
  const edit = createMemberLimit(db, {
    name: 'edit',
    code: 'too-many-edits',
    points: 120,
    seconds,
    lower: lower(60),
  });
  const editLong = createMemberLimit(db, {
    name: 'edit-long',
    code: 'too-many-edits',
    points: 40,
    seconds,
    lower: lower(10),
  });
  return {
    /** Counts a post. One that repeats an earlier request by its idempotency key is not counted. */
    async post(kind: 'question' | 'answer' | 'reply', { memberId, key, text }: NewPost): Promise<void> {
      if (key !== undefined && (await isKeyUsed(db, memberId, key))) return;
      await (kind === 'question' ? ask : write)(memberId);
      if (linksIn(text) >= manyLinksFrom) await withManyLinks(memberId);
    },
    /** Counts an edit by its new text. */
    async edit(memberId: number, text: string): Promise<void> {
      await edit(memberId);
      if (text.length >= longEditFrom) await editLong(memberId);
      if (linksIn(text) >= manyLinksFrom) await withManyLinks(memberId);
    },
    // All writes of a member, as a limit for those without one of their own. A draft is saved 600 times in ten minutes
    // of typing. Each opened page writes once or twice.
    change: createMemberLimit(db, {
      name: 'change',
      code: 'too-often',
      points: 3_000,
      seconds,
    }),
    // Continuous typing sends about 900 requests in ten minutes.
    similarQuestions: createMemberLimit(db, {
      name: 'similar-questions',
      code: 'too-many-similar-searches',
      points: 1200,
      seconds,
    }),
    // A member who checks all posts of a bad day reports about ten.
    report: createMemberLimit(db, {
      name: 'report',
      code: 'too-many-reports',
      points: 60,
      seconds: 60 * 60,
    }),
    // Few members ever object once.
    object: createMemberLimit(db, {
      name: 'object',
      code: 'too-many-objections',
      points: 10,
      seconds: 24 * 60 * 60,
    }),
    // Notes of a moderator on members.
    note: createMemberLimit(db, { name: 'note', code: 'too-often', points: 120, seconds }),
    vote: createMemberLimit(db, {
      name: 'vote',
      code: 'too-many-votes',
      points: 600,
      seconds,
      lower: lower(300),
    }),
  };
}

/** @param key the idempotency key of the request, if any */
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
