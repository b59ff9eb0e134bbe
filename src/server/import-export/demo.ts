import { projectRoot } from '#server/core/paths.ts';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg, { type ClientBase } from 'pg';
import { sql } from 'kysely';
import { hashPassword } from '#server/identity/index.ts';
import { setRole } from '#server/admin/index.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { Database } from '#server/core/database.ts';
import { addDemoActivity, hasDemoActivity } from './demo-activity.ts';
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
 * nothing, or finishes what was interrupted.
 * @returns the moderator's password; null if the demo was loaded before.
 */
export async function loadDemo({
  connection,
  db,
  settings,
}: {
  connection: pg.ClientConfig;
  db: Database;
  settings: OperatorSettings;
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
          await setEmail(client, await memberId(users.member), demoMember.email);
          await setEmail(client, await memberId(users.moderator), demoModerator);
        },
      },
      progress: createTerminalProgress(process.stderr),
    });
    if (isUnchanged && (await hasDemoActivity(db))) return null;
    await setPassword(client, demoMember);
    await setPassword(client, { email: demoModerator, password });
  } finally {
    await client.end();
  }
  await setRole(db, { email: demoModerator, role: 'moderator' });
  await addDemoActivity({ db, settings, member: demoMember.email, moderator: demoModerator });
  return password;
}

async function setEmail(client: ClientBase, id: number, email: string): Promise<void> {
  await client.query('update member set email = $2 where id = $1', [id, email]);
}

async function setPassword(
  client: ClientBase,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await client.query(
    `insert into account (member_id, account_id, provider_id, password)
     select id, id::text, 'credential', $2 from member where email = $1
     on conflict (provider_id, account_id) do update set password = excluded.password`,
    [email, await hashPassword(password)],
  );
}

/** Whether there are no members and no questions yet. */
export async function isEmptyCommunity(db: Database): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select 1 from question) or exists (select 1 from member) as used`.execute(db);
  return rows[0]?.used === false;
}
