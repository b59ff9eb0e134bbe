import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { Member } from './member.ts';
import { defaultSettings, type TestServer } from './server.ts';

/** Inserts many signed-in members: registering them would take most of a test's time for password hashes. */
export async function createManyMembers({ db, address }: TestServer, size: number): Promise<Member[]> {
  const { rows } = await sql<{ id: number; name: string; email: string; token: string }>`
    with added as (
      insert into member (display_name, email)
      select 'One of many', 'crowd' || n || '-' || gen_random_uuid() || '@example.org' from generate_series(1, ${size}::int) n
      returning id, display_name as name, email
    ), sessions as (
      insert into session (member_id, token, expires_at)
      select id, gen_random_uuid()::text, now() + interval '20 days' from added returning member_id, token
    )
    select id, name, email, token from added join sessions on member_id = id order by id`.execute(db);
  return rows.map(({ id, name, email, token }) => {
    const member = new Member(address, { id, displayName: name, email });
    // Signed as better-auth does.
    const signature = createHmac('sha256', defaultSettings.secret).update(token).digest('base64');
    member.cookies.set('parley.session_token', encodeURIComponent(`${token}.${signature}`));
    return member;
  });
}
