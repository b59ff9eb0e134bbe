import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';

/** Before the issuer in `account.provider_id`. */
export const accountProviderPrefix = 'oidc ';

/** A provider that admins added. */
export type SignInProviderRow = {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  encrypted_client_secret: string;
  scopes: string;
  trusts_email: boolean;
  is_enabled: boolean;
};

/** In the order of their buttons. */
export async function listSignInProviders(db: Queryable): Promise<SignInProviderRow[]> {
  const { rows } = await sql<SignInProviderRow>`
    select id, name, issuer, client_id, encrypted_client_secret, scopes, trusts_email, is_enabled
    from sign_in_provider order by position, id`.execute(db);
  return rows;
}
