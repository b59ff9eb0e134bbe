import { projectRoot } from '#server/core/paths.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import { type Database, openDatabase } from '#server/core/database.ts';
import type { EmbeddedPostgres } from '#server/postgres/embedded.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { withTemporaryParley, withTemporaryPostgres } from '#tests/support/temporary-parley.ts';

/** The number of each; ids start at 1. The first `activeMembers` have a session, which the server has cached. */
export const size = { members: 4_000, activeMembers: 1_000, questions: 2_000, answers: 6_000 } as const;

const secret = 'a secret for measurements only, long enough for the server';

/** A small community on an embedded PostgreSQL, served by one Parley. `pid`: Parley's process. */
export type Community = { address: string; pid: number; db: Database; embedded: EmbeddedPostgres };

/** Runs `work` with a new community, which is deleted afterwards. */
export function withCommunity<Result>(work: (community: Community) => Promise<Result>): Promise<Result> {
  return withTemporaryPostgres(async (embedded) => {
    const db = openDatabase({ connection: { ...embedded.connection, statement_timeout: 0 } });
    try {
      await migrate(db, path.join(projectRoot, 'migrations'));
      await fillCommunity(db);
      const env = {
        DATABASE_URL: toDatabaseUrl(embedded.connection),
        SECRET: secret,
        NODE_ENV: 'production',
      };
      return await withTemporaryParley({ env }, async (address, { pid }) => {
        await cacheSessions(address);
        return work({ address, pid, db, embedded });
      });
    } finally {
      await db.destroy();
    }
  });
}

/** Opens a page with each session, as members do before they write. */
async function cacheSessions(address: string): Promise<void> {
  const limit = pLimit(32);
  const members = Array.from({ length: size.activeMembers }, (_, index) => index + 1);
  await limit.map(members, async (member) => {
    const response = await fetch(`${address}/api/session`, { headers: { cookie: cookieOf(member) } });
    if (!response.ok) throw new Error(`the session of member ${member} got status ${response.status}`);
    await response.arrayBuffer();
  });
}

/** Fills an empty database with signed-in members, questions with one tag each, and answers. */
async function fillCommunity(db: Database): Promise<void> {
  const text =
    'Keep the dough in a cool place over night, and let it rise slowly; the crust gets crisp that way. ';
  const steps = [
    sql`
      insert into member (display_name, email, email_verified)
      select 'Member ' || n, 'member' || n || '@example.org', true from generate_series(1, ${size.members}::int) n`,
    sql`
      insert into session (member_id, token, expires_at)
      select id, 'token-' || id, now() + interval '30 days' from member where id <= ${size.activeMembers}`,
    sql`insert into tag (name, key) select 'tag-' || n, 'tag-' || n from generate_series(1, 200) n`,
    sql`
      insert into question (author_id, title, content, excerpt, excerpt_cut, answer_count, tag_text)
      select 1 + n % ${size.members}::int, 'How is bread number ' || n || ' kept?', repeat(${text}, 1 + n % 9), 'Keep it.',
        true, ${size.answers / size.questions}::int, 'tag-' || 1 + n % 200
      from generate_series(1, ${size.questions}::int) n`,
    sql`
      insert into question_tag (question_id, tag_id, position, question_created_at)
      select id, 1 + id % 200, 0, created_at from question`,
    sql`
      insert into answer (question_id, author_id, content)
      select 1 + n % ${size.questions}::int, 1 + n * 7 % ${size.members}::int, n || ' ' || repeat(${text}, 1 + n % 7)
      from generate_series(1, ${size.answers}::int) n`,
    sql`update tag set questions_count = (select count(*) from question_tag where tag_id = tag.id)`,
    sql`
      update member set questions_count = (select count(*) from question where author_id = member.id),
        answers_count = (select count(*) from answer where author_id = member.id)`,
  ];
  for (const step of steps) await step.execute(db);
  await writeAllSortKeys(db);
  await sql`vacuum analyze`.execute(db);
  await sql`checkpoint`.execute(db).catch(() => {});
}

/** The session cookie of a member, signed as better-auth does. */
export function cookieOf(member: number): string {
  const token = `token-${member}`;
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return `parley.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}
