import { sql } from 'kysely';
import { feedWindow } from '#server/engagement/mutes-filter.ts';
import type { Database } from '#server/core/database.ts';
import { encodeCursor } from '#server/core/cursor.ts';
import { recordNewChanges } from '#server/integrations/changes.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import type { SkewedCommunity } from './skewed-community.ts';
import type { Member } from './member.ts';

/** The callers, and the members, posts and tags with many rows. */
export type CallContext = SkewedCommunity & {
  busy: Member;
  muting: Member;
  rareFollower: Member;
  db: Database;
};

/** A call of an endpoint and its limits. */
export type EndpointCall = {
  by: Member;
  method: string;
  path: string;
  body?: unknown;
  file?: Uint8Array;
  /** A higher limit of rows, for calls that read more than usual but do not grow with the community. */
  maxRows?: number;
  reason?: string;
  /** A table that may be scanned completely, for the same reason. */
  scannedTable?: string;
};

/** Calls that read: lists from the start and from the middle, in each order and with each choice. */
export const readCalls: Readonly<Record<string, (stage: CallContext) => Promise<EndpointCall[]>>> = {
  feeds,
  follows: following,
  questions,
  tags,
  changes,
  profiles,
  'bookmarks and mutes': bookmarkCalls,
  'notifications, drafts, sessions and settings': ownDataCalls,
};

export const get = (by: Member, path: string, more: Partial<EndpointCall> = {}): EndpointCall => ({
  by,
  method: 'GET',
  path,
  ...more,
});
export const put = (
  by: Member,
  path: string,
  body?: unknown,
  more: Partial<EndpointCall> = {},
): EndpointCall => ({
  by,
  method: 'PUT',
  path,
  body,
  ...more,
});
export const post = (
  by: Member,
  path: string,
  body?: unknown,
  more: Partial<EndpointCall> = {},
): EndpointCall => ({
  by,
  method: 'POST',
  path,
  body,
  ...more,
});
export const remove = (by: Member, path: string, more: Partial<EndpointCall> = {}): EndpointCall => ({
  by,
  method: 'DELETE',
  path,
  ...more,
});

/** A cursor behind the given row, far into a list. */
async function deepCursor(db: Database, rows: ReturnType<typeof sql>): Promise<string> {
  const { rows: items } = await sql<{ after: Date | number; id: number; score?: number }>`${rows}`.execute(
    db,
  );
  const [row] = items;
  if (row === undefined) throw new Error('the list has too few rows');
  return encodeCursor({ ...row, after: Number(row.after) });
}

export async function findId(db: Database, rows: ReturnType<typeof sql>): Promise<number> {
  const { rows: items } = await sql<{ id: number }>`${rows} limit 1`.execute(db);
  const [row] = items;
  if (row === undefined) throw new Error('no row found');
  return row.id;
}

async function feeds({ busy, muting, db }: CallContext): Promise<EndpointCall[]> {
  const newest = await deepCursor(
    db,
    sql`select created_at as after, id from question order by 1 desc offset 8000 limit 1`,
  );
  const popular = await deepCursor(
    db,
    sql`select upvotes as after, id from question order by 1 desc, 2 desc offset 8000 limit 1`,
  );
  const tags = {
    maxRows: limits.tagsPerQuestion * feedWindow,
    reason: 'reads this many questions with their tags to skip muted ones',
  };
  return ['recent', 'popular', 'unanswered'].flatMap((feed) => {
    const cursor = feed === 'popular' ? popular : newest;
    return [busy, muting].flatMap((by) => [
      get(by, `/feeds/${feed}`),
      get(by, `/feeds/${feed}?cursor=${cursor}`),
      get(by, `/viewer/feeds/${feed}`, tags),
      get(by, `/viewer/feeds/${feed}?muted=show`),
      get(by, `/viewer/feeds/${feed}?cursor=${cursor}`, tags),
    ]);
  });
}

async function following({ busy, muting, rareFollower, db }: CallContext): Promise<EndpointCall[]> {
  const cursor = await deepCursor(
    db,
    sql`select created_at as after, id from question order by 1 desc offset 3000 limit 1`,
  );
  const followed = { maxRows: 3100, reason: 'reads each question with a followed tag' };
  return [busy, muting, rareFollower].flatMap((by) => [
    get(by, '/following'),
    get(by, '/tag-rules'),
    get(by, '/follows', { maxRows: 1000, reason: 'the maximum of a response' }),
    get(by, '/following/questions'),
    get(by, '/following/questions?muted=show'),
    get(by, `/following/questions?cursor=${cursor}`),
    get(by, '/following/activity', followed),
    get(by, '/following/activity?muted=show', followed),
    get(by, '/following/tags'),
    get(by, `/following/tags?cursor=${encodeCursor({ after: 200, id: 0 })}`),
  ]);
}

async function questions({ busy, db, hotQuestionId, hotAnswerId }: CallContext): Promise<EndpointCall[]> {
  const hot = `/questions/${hotQuestionId}`;
  const answer = `/answers/${hotAnswerId}`;
  const far = sql`from answer where question_id = ${hotQuestionId} order by created_at desc offset 1000 limit 1`;
  const byTime = await deepCursor(db, sql`select created_at as after, id ${far}`);
  const byScore = await deepCursor(db, sql`select created_at as after, id, upvotes as score ${far}`);
  const farAnswer = await findId(db, sql`select id from (select id ${far}) answer`);
  const farReply = await findId(db, sql`select id from reply where answer_id = ${hotAnswerId}`);
  const comment = await deepCursor(
    db,
    sql`select 0 as after, id from reply where answer_id is null offset 500 limit 1`,
  );
  const reply = await findId(db, sql`select reply_id as id from revision where reply_id is not null`);
  return [
    ...['newest', 'oldest', 'helpful'].flatMap((sort) => {
      const cursor = sort === 'helpful' ? byScore : byTime;
      return [
        get(busy, `${hot}?sort=${sort}`),
        get(busy, `/viewer${hot}?sort=${sort}`),
        get(busy, `${hot}/answers?sort=${sort}`),
        get(busy, `${hot}/answers?sort=${sort}&cursor=${cursor}`),
        get(busy, `${hot}?sort=${sort}&after=${cursor}`),
        get(busy, `/viewer${hot}?sort=${sort}&after=${cursor}`),
        get(busy, `${hot}/answers/position?sort=${sort}&kind=answer&post=${farAnswer}`),
        get(busy, `${hot}/answers/position?sort=${sort}&kind=reply&post=${farReply}`),
      ];
    }),
    get(busy, `${hot}/replies`),
    get(busy, `${hot}/replies?cursor=${comment}`),
    get(busy, `${answer}/replies`),
    ...[hot, answer, `/replies/${reply}`].flatMap((post) => [
      get(busy, `${post}/revisions`),
      get(busy, `${post}/revisions/1`),
    ]),
    get(busy, `${hot}/related`),
    get(busy, `${hot}/members?q=m`),
    get(busy, '/members?q=member%202'),
    get(busy, `/question-titles?ids=${Array.from({ length: 20 }, (_, id) => id + 1).join(',')}`),
    get(busy, '/imported-posts?address=/questions/1'),
    get(busy, '/search?q=about'),
    get(busy, '/search/instant?q=about'),
    post(busy, '/questions/similar', { title: 'What about 77?', content: '', tags: [] }),
  ];
}

async function changes({ busy, db }: CallContext): Promise<EndpointCall[]> {
  // The rows were copied into the tables without events.
  await sql`delete from event_reader where name = 'changes'`.execute(db);
  await recordNewChanges(db);
  await sql`analyze public_change`.execute(db);
  const { rows } = await sql<{ position: number; epoch: number }>`
    select position, (select epoch from public_change_state) as epoch from public_change
    where kind = 'answer' order by position offset 2000 limit 1`.execute(db);
  const cursor = encodeCursor({ after: rows[0]?.position ?? 0, id: rows[0]?.epoch ?? 0 });
  return [
    get(busy, '/changes'),
    get(busy, `/changes?cursor=${cursor}`),
    get(busy, `/changes?kinds=reply&cursor=${cursor}`),
    get(busy, '/changes?updatedSince=2020-01-01T00:00:00Z&kinds=tag,question'),
  ];
}

async function tags({ busy, db, hugeTag }: CallContext): Promise<EndpointCall[]> {
  const popular = await deepCursor(
    db,
    sql`select questions_count as after, id from tag order by 1 desc, 2 desc offset 6000 limit 1`,
  );
  const active = await deepCursor(
    db,
    sql`select active_at as after, id from tag order by active_at desc nulls last, 2 desc offset 6000 limit 1`,
  );
  const alphabetical = await deepCursor(
    db,
    sql`select 0 as after, id from tag order by key offset 6000 limit 1`,
  );
  const names = { maxRows: 30_000, reason: 'scans the names of tags', scannedTable: 'tag' };
  const huge = `/tags/${hugeTag}`;
  const question = await deepCursor(
    db,
    sql`select question_created_at as after, question_id as id from question_tag where tag_id = 1 order by 1 desc offset 4000 limit 1`,
  );
  return [
    ...['', '/viewer'].flatMap((prefix) => [
      ...Object.entries({ popular, active, alphabetical }).flatMap(([sort, cursor]) => [
        get(busy, `${prefix}/tags?sort=${sort}`),
        get(busy, `${prefix}/tags?sort=${sort}&cursor=${cursor}`),
        get(busy, `${prefix}/tags?sort=${sort}&q=topic%203`, names),
      ]),
      get(busy, `${prefix}/tags?q=huge`, names),
      get(busy, `${prefix}${huge}`),
      get(busy, `${prefix}${huge}/questions`),
      get(busy, `${prefix}${huge}/questions?cursor=${question}`),
    ]),
    get(busy, `${huge}/activity`),
    get(busy, `/audience?tags=${hugeTag},topic%2077`, {
      maxRows: 5000,
      reason: 'counts each follower of several tags once',
    }),
  ];
}

async function profiles({ busy, muting, db }: CallContext): Promise<EndpointCall[]> {
  const profile = `/members/${busy.id}`;
  const asked = await deepCursor(
    db,
    sql`select created_at as after, id from question where author_id = ${busy.id} order by 1 desc offset 1500 limit 1`,
  );
  const answered = await deepCursor(
    db,
    sql`select created_at as after, id from answer where author_id = ${busy.id} order by 1 desc offset 1500 limit 1`,
  );
  return [
    get(muting, profile),
    get(muting, `${profile}/questions`),
    get(muting, `${profile}/questions?cursor=${asked}`),
    get(muting, `${profile}/answers`),
    get(muting, `${profile}/answers?cursor=${answered}`),
    get(muting, `${profile}/activity`),
    get(muting, `${profile}/reputation`),
    get(busy, '/settings'),
  ];
}

async function bookmarkCalls({ busy, muting, db }: CallContext): Promise<EndpointCall[]> {
  const list = await findId(db, sql`select id from bookmark_list where member_id = ${busy.id} order by id`);
  const cursor = await deepCursor(
    db,
    sql`select created_at as after, id from bookmark where member_id = ${busy.id} order by 1 desc offset 1000 limit 1`,
  );
  const muted = await deepCursor(
    db,
    sql`select created_at as after, question_id as id from question_mute where member_id = ${busy.id} order by 1 desc offset 1500 limit 1`,
  );
  const few = { maxRows: serverLimits.bookmarks, reason: 'the maximum of bookmarks' };
  return [
    get(busy, '/bookmarks'),
    get(busy, `/bookmarks?cursor=${cursor}`),
    get(busy, `/bookmarks?list=${list}`, few),
    get(busy, `/bookmarks?list=${list}&cursor=${cursor}`, few),
    get(busy, '/bookmarks?q=Note%2017', few),
    get(busy, '/bookmark-lists', few),
    get(busy, '/mutes/questions'),
    get(busy, `/mutes/questions?cursor=${muted}`),
    get(muting, '/mutes/tags'),
  ];
}

async function ownDataCalls({ busy, db }: CallContext): Promise<EndpointCall[]> {
  const far = await deepCursor(
    db,
    sql`select 0 as after, id from notification where recipient_id = ${busy.id} order by id desc offset 3000 limit 1`,
  );
  return [
    ...['all', 'unread'].flatMap((filter) => [
      get(busy, `/notifications?filter=${filter}`),
      get(busy, `/notifications?filter=${filter}&cursor=${far}`),
    ]),
    get(busy, '/drafts'),
    get(busy, '/drafts/answer:7'),
    get(busy, '/two-factor'),
    get(busy, '/passkeys'),
    get(busy, '/api-tokens'),
    get(busy, '/sign-in'),
    get(busy, '/provider-accounts'),
    get(busy, '/sessions'),
    get(busy, '/email-address'),
    get(busy, '/password-resets'),
    get(busy, '/data-export', { maxRows: 20_000, reason: 'reads all data of the member, page by page' }),
    get(busy, '/session'),
    get(busy, '/notification-preferences'),
  ];
}
