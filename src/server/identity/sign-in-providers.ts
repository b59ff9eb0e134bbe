import {
  defaultScopes,
  environmentProviderId,
  providerCallbackPath,
} from '#shared/identity/provider-addresses.ts';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database, Queryable } from '#server/core/database.ts';
import { decrypt, encrypt, type EncryptionContext } from '#server/core/encryption.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { createIdentityProvider, type IdentityProvider } from './oidc-client.ts';
import { getRelyingParty } from './passkeys.ts';
import {
  accountProviderPrefix,
  listSignInProviders,
  type SignInProviderRow,
} from './sign-in-providers-queries.ts';

/** A provider of the environment or of an admin. */
export type ConfiguredProvider = {
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  /** Null if it was encrypted with another SECRET. */
  clientSecret: string | null;
  scopes: string;
  trustsEmail: boolean;
  isEnabled: boolean;
};

export type SignInProviders = ReturnType<typeof createSignInProviders>;

/**
 * The providers that members can sign in with: the one of the environment, then those of the table. Every use reads the
 * table, so a change applies on all nodes at once; it has a few rows, and only sign-in needs them (docs/decisions/087).
 */
export function createSignInProviders({
  db,
  settings,
  log,
}: {
  db: Database;
  settings: Pick<OperatorSettings, 'identityProvider' | 'secret'>;
  log: Logger;
}) {
  /** A changed provider has another key, and so a client without the cached metadata of the earlier issuer. */
  const clients = new LRUCache<string, IdentityProvider>({ max: 50 });
  return { list, listAccountProviderIds, require: requireUsable };

  async function list(reader: Queryable = db): Promise<ConfiguredProvider[]> {
    const { identityProvider } = settings;
    const fromEnvironment = identityProvider === null ? [] : [toEnvironmentProvider(identityProvider)];
    const rows = await listSignInProviders(reader);
    return [...fromEnvironment, ...rows.map((row) => toProvider(row, settings.secret))];
  }

  /** Returns the `account.provider_id` of all providers that members can use now. */
  async function listAccountProviderIds(reader: Queryable): Promise<string[]> {
    return (await list(reader)).filter(isUsable).map(getAccountProviderId);
  }

  /** @throws ProblemError 'disabled' if members cannot sign in with the provider, or there is none */
  async function requireUsable(id: string): Promise<ConfiguredProvider & { client: IdentityProvider }> {
    const provider = (await list()).find((each) => each.id === id);
    if (provider === undefined || !provider.isEnabled) throw new ProblemError('provider-not-configured');
    const { clientSecret, name } = provider;
    if (clientSecret === null) throw new ProblemError('provider-secret-unreadable', { params: { name } });
    return { ...provider, client: getClient({ ...provider, clientSecret }) };
  }

  function getClient(provider: ConfiguredProvider & { clientSecret: string }): IdentityProvider {
    const { issuer, clientId, clientSecret, scopes, trustsEmail } = provider;
    const options = { issuer, clientId, clientSecret, scopes, trustsEmail };
    const key = JSON.stringify(options);
    const client = clients.get(key) ?? createIdentityProvider(options, log);
    clients.set(key, client);
    return client;
  }
}

export const isUsable = ({ isEnabled, clientSecret }: ConfiguredProvider) =>
  isEnabled && clientSecret !== null;

/** Each issuer has its own `account.provider_id`, because accounts of one issuer are unrelated to those of another. */
export const getAccountProviderId = ({ issuer }: Pick<ConfiguredProvider, 'issuer'>) =>
  accountProviderPrefix + issuer;

/** The address that a provider sends browsers back to. It is registered at the provider. */
export function getRedirectUri(settings: OperatorSettings, headers: Headers, id: string): string {
  return `${getRelyingParty(settings, headers).origin}${providerCallbackPath(id)}`;
}

export function encryptClientSecret(
  { secret }: Pick<OperatorSettings, 'secret'>,
  { id, clientSecret }: { id: string; clientSecret: string },
): string {
  return encrypt(getEncryption(secret, id), clientSecret);
}

function toProvider(row: SignInProviderRow, secret: string): ConfiguredProvider {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: decrypt(getEncryption(secret, row.id), row.encrypted_client_secret),
    scopes: row.scopes,
    trustsEmail: row.trusts_email,
    isEnabled: row.is_enabled,
  };
}

function toEnvironmentProvider(
  provider: NonNullable<OperatorSettings['identityProvider']>,
): ConfiguredProvider {
  const more = { scopes: defaultScopes, trustsEmail: false, isEnabled: true };
  return { id: environmentProviderId, ...provider, ...more };
}

const getEncryption = (secret: string, id: string): EncryptionContext => ({
  secret,
  purpose: `client secret of the sign-in provider ${id}`,
});
