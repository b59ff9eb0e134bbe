import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { reputationPoints } from '#shared/votes.ts';

/** As it is stored, which may be below 0; undefined where there is no such member. */
export async function reputationOf(db: Reader, memberId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('member')
    .select('reputation')
    .where('id', '=', memberId)
    .executeTakeFirst();
  return row?.reputation;
}

/** Served by the indexes question_author, answer_author and reply_author_time, each from the day on. */
export async function postsByDay(db: Reader, { memberId, from }: { memberId: number; from: string }) {
  const own = sql`author_id = ${memberId} and created_at >= ${startOf(from)}`;
  const { rows } = await sql<{ day: string; questions: number; answers: number; replies: number }>`
    select ${dayOf('at')} as day, sum(questions)::bigint as questions, sum(answers)::bigint as answers,
      sum(replies)::bigint as replies
    from (
      select created_at as at, 1 as questions, 0 as answers, 0 as replies from question where ${own}
      union all
      select created_at, 0, 1, 0 from answer where ${own}
      union all
      select created_at, 0, 0, 1 from reply where ${own} and deleted_at is null
    ) post
    group by day order by day`.execute(db);
  return rows;
}

/** The points a member has by votes of others, by the day of the vote; each post's votes are found by its index. */
export async function pointsByDay(db: Reader, { memberId, from }: { memberId: number; from: string }) {
  const pointsOn = (kind: 'question' | 'answer' | 'reply') => sql`
    select vote.created_at as at,
      case vote.direction
        when 'up' then ${sql.lit(reputationPoints[kind].up)}
        else ${sql.lit(reputationPoints[kind].down)} end as points
    from ${sql.table(kind)} post join vote on vote.${sql.ref(`${kind}_id`)} = post.id
    where post.author_id = ${memberId} and vote.member_id <> ${memberId}
      and vote.created_at >= ${startOf(from)}`;
  const { rows } = await sql<{ day: string; points: number }>`
    select ${dayOf('at')} as day, sum(points)::bigint as points
    from (${pointsOn('question')} union all ${pointsOn('answer')} union all ${pointsOn('reply')}) earned
    group by day order by day`.execute(db);
  return rows;
}

export async function topicOf(db: Reader, key: string) {
  return db.selectFrom('tag').select(['id', 'questions_count']).where('key', '=', key).executeTakeFirst();
}

/** Looks at the topic's newest questions, `limit` at most, by the index question_tag_newest, and at their answers. */
export async function topicByWeek(
  db: Reader,
  { tagId, from, limit }: { tagId: number; from: string; limit: number },
) {
  const { rows } = await sql<{ week: string; questions: number; answers: number }>`
    with newest as (
      select question_id, asked_at from question_tag
      where tag_id = ${tagId} order by asked_at desc, question_id desc limit ${limit}
    )
    select to_char(date_trunc('week', at at time zone 'UTC'), 'YYYY-MM-DD') as week,
      sum(questions)::bigint as questions, sum(answers)::bigint as answers
    from (
      select asked_at as at, 1 as questions, 0 as answers from newest where asked_at >= ${startOf(from)}
      union all
      select answer.created_at, 0, 1 from newest join answer on answer.question_id = newest.question_id
      where answer.created_at >= ${startOf(from)}
    ) post
    group by week order by week`.execute(db);
  return rows;
}

/** When a day begins, in UTC. */
const startOf = (day: string) => sql`${new Date(`${day}T00:00:00Z`)}::timestamptz`;

const dayOf = (column: string) => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD')`;
