import type { Context } from 'hono';
import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import type { RouteDeps } from '#server/core/http.ts';
import { getNetworkAddress, toSignInNetwork } from '#server/core/network-address.ts';
import type { SignInMethod } from '#shared/identity/accounts.ts';

/** Characters of the name of a browser that are stored. */
const maxUserAgentLength = 300;

/** Stores that a member has signed in with this request, unless the settings say that nothing is stored. */
export async function recordSignIn(
  c: Context,
  { db, settings, siteSettings }: RouteDeps,
  { memberId, method }: { memberId: number; method: SignInMethod },
): Promise<void> {
  if (siteSettings.get('signInDays') === 0) return;
  const from = toSignInNetwork(getNetworkAddress(c, settings.trustedProxies));
  const userAgent = c.req.header('user-agent')?.slice(0, maxUserAgentLength) ?? null;
  await sql`
    insert into sign_in (member_id, method, user_agent, address, network)
    values (${memberId}, ${method}, ${userAgent}, ${from?.address ?? null}, ${from?.network ?? null})`.execute(
    db,
  );
}

/** Sign-ins that one run of the job deletes at most. It runs every minute. */
const maxDeletions = 20_000;

/** Deletes sign-ins that are older than these days. */
export async function deleteOldSignIns(db: Database, days: number): Promise<void> {
  await sql`
    delete from sign_in where id in (
      select id from sign_in where created_at < now() - make_interval(days => ${days})
      order by created_at limit ${sql.lit(maxDeletions)}
    )`.execute(db);
}
