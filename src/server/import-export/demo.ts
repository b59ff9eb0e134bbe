import { projectRoot } from '#server/core/paths.ts';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg, { type ClientBase } from 'pg';
import { sql } from 'kysely';
import { hashPassword } from '#server/identity/index.ts';
import { setRole } from '#server/admin/index.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { Database } from '#server/core/database.ts';
import { addDemoActivity } from './demo-activity.ts';
import { createTerminalProgress } from '#server/core/progress.ts';

/**
 * The member that visitors of the demo can sign in as. Anyone can register there, so this gives no additional access.
 */
export const demoMember = { email: 'demo@parley.example', password: 'parley-demo' } as const;

/** The password differs in each community, because a moderator may do more than a visitor. */
export const demoModerator = 'moderator@parley.example';

/** The users in demo/Users.xml that become these two members. */
const users = { member: 1, moderator: 2 } as const;

/**
 * Loads the demo community and shifts its times so that the newest post is an hour old. Loading it again changes
 * nothing.
 * @returns the moderator's password; null if the demo was loaded before.
 */
export async function loadDemo({
  connection,
  db,
  settings,
}: {
  connection: pg.ClientConfig;
  db: Database;
  settings: SiteSettings;
}): Promise<string | null> {
  const client = new pg.Client(connection);
  await client.connect();
  const password = randomBytes(12).toString('base64url');
  try {
    const { importStackExchange } = await import('./stack-exchange-import.ts');
    const { isUnchanged } = await importStackExchange({
      directory: path.join(projectRoot, 'demo'),
      client,
      ownArchive: {
        name: 'demo',
        newest: new Date(Date.now() - 60 * 60 * 1000),
        onImported: async (client, memberId) => {
          await addPassword(client, { id: await memberId(users.member), ...demoMember });
          await addPassword(client, { id: await memberId(users.moderator), email: demoModerator, password });
        },
      },
      progress: createTerminalProgress(process.stderr),
    });
    if (isUnchanged) return null;
  } finally {
    await client.end();
  }
  await setRole(db, { email: demoModerator, role: 'moderator' });
  await addDemoActivity({ db, settings, member: demoMember.email, moderator: demoModerator });
  return password;
}

async function addPassword(
  client: ClientBase,
  { id, email, password }: { id: number; email: string; password: string },
): Promise<void> {
  await client.query('update member set email = $2 where id = $1', [id, email]);
  await client.query(
    `insert into account (member_id, account_id, provider_id, password) values ($1::bigint, $1::bigint::text, 'credential', $2)`,
    [id, await hashPassword(password)],
  );
}

/** Whether there are no members and no questions yet. */
export async function isEmptyCommunity(db: Database): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select 1 from question) or exists (select 1 from member) as used`.execute(db);
  return rows[0]?.used === false;
}
