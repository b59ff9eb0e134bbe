import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { ModerationAction } from '#shared/moderation/moderation.ts';

/** Serializes all changes of sign-in providers until the end of the transaction. */
export async function lockSignInProviders(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('sign_in_provider', 0))`.execute(tx);
}

export type StoredProvider = {
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  scopes: string;
  trustsEmail: boolean;
  enabled: boolean;
};

/** Adds a provider after the others. */
export async function insertSignInProvider(
  tx: Tx,
  provider: StoredProvider & { encryptedClientSecret: string },
): Promise<void> {
  await sql`
    insert into sign_in_provider (id, name, issuer, client_id, encrypted_client_secret, scopes, trusts_email, is_enabled,
      position)
    select ${provider.id}, ${provider.name}, ${provider.issuer}, ${provider.clientId},
      ${provider.encryptedClientSecret}, ${provider.scopes}, ${provider.trustsEmail}, ${provider.enabled},
      coalesce(max(position) + 1, 0)
    from sign_in_provider`.execute(tx);
}

/** `encryptedClientSecret` null keeps the stored one. */
export async function updateSignInProvider(
  tx: Tx,
  { encryptedClientSecret, ...provider }: StoredProvider & { encryptedClientSecret: string | null },
): Promise<void> {
  await sql`
    update sign_in_provider set name = ${provider.name}, issuer = ${provider.issuer}, client_id = ${provider.clientId},
      encrypted_client_secret = coalesce(${encryptedClientSecret}::text, encrypted_client_secret),
      scopes = ${provider.scopes}, trusts_email = ${provider.trustsEmail}, is_enabled = ${provider.enabled},
      updated_at = default
    where id = ${provider.id}`.execute(tx);
}

export async function deleteSignInProvider(tx: Tx, id: string): Promise<void> {
  await sql`delete from sign_in_provider where id = ${id}`.execute(tx);
}

export async function orderSignInProviders(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    update sign_in_provider set position = wanted.position - 1, updated_at = default
    from unnest(${[...ids]}::text[]) with ordinality wanted (id, position)
    where sign_in_provider.id = wanted.id and sign_in_provider.position <> wanted.position - 1`.execute(tx);
}

export async function hasProviderAccounts(tx: Tx, providerId: string): Promise<boolean> {
  const { rows } = await sql`select from account where provider_id = ${providerId} limit 1`.execute(tx);
  return rows.length > 0;
}

export type ProviderLogEntry = {
  action: Extract<ModerationAction, 'change_sign_in_provider' | 'order_sign_in_providers'>;
  subject: string | null;
  before: Partial<StoredProvider> & { order?: string[] };
  after: Partial<StoredProvider> & { order?: string[] };
};

/** Returns an entry of the moderation log that can be undone. */
export async function findProviderLogEntry(tx: Tx, id: number): Promise<ProviderLogEntry | undefined> {
  const { rows } = await sql<ProviderLogEntry>`
    select action, subject, before, after from moderation_log
    where id = ${id} and action in ('change_sign_in_provider', 'order_sign_in_providers')`.execute(tx);
  return rows[0];
}
