import path from 'node:path';
import type { ClientBase } from 'pg';
import { sql } from 'kysely';
import pg from 'pg';
import { hashPassword } from '#server/accounts/password.ts';
import type { Database } from '#server/platform/database.ts';
import { projectFolder } from '#server/platform/embedded/folders.ts';
import { importStackExchange } from './archive.ts';
import { terminalProgress } from '#server/platform/progress.ts';

/** Whom a visitor of the demo community can sign in as. Registering is open there, so this lets nobody in anew. */
export const demoMember = { email: 'demo@parley.example', password: 'parley-demo' } as const;

/** The user in demo/Users.xml that becomes the demo member. */
const demoUser = 1;

/** Loads the demo community, dated so that its newest post is an hour old. A second time changes nothing. */
export async function loadDemo(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await importStackExchange({
      folder: path.join(projectFolder, 'demo'),
      client,
      own: { name: 'demo', newest: new Date(Date.now() - 60 * 60 * 1000), settle: letDemoMemberIn },
      progress: terminalProgress(process.stderr),
    });
  } finally {
    await client.end();
  }
}

async function letDemoMemberIn(
  client: ClientBase,
  memberId: (user: number) => Promise<number>,
): Promise<void> {
  const id = await memberId(demoUser);
  await client.query('update member set email = $2 where id = $1', [id, demoMember.email]);
  await client.query(
    `insert into account (member_id, account_id, provider_id, password) values ($1::bigint, $1::bigint::text, 'credential', $2)`,
    [id, await hashPassword(demoMember.password)],
  );
}

/** Whether nobody has asked or registered yet. */
export async function isEmptyCommunity(db: Database): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select 1 from question) or exists (select 1 from member) as used`.execute(db);
  return rows[0]?.used === false;
}
