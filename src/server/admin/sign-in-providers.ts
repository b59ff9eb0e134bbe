import { isDeepStrictEqual } from 'node:util';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import {
  type ConfiguredProvider,
  encryptClientSecret,
  getAccountProviderId,
  getRedirectUri,
  type SignInMethods,
  type SignInProviders,
} from '#server/identity/index.ts';
import { type Admin, insertLogEntry } from '#server/moderation/index.ts';
import { environmentProviderId, signInProviderLimits } from '#shared/identity/provider-addresses.ts';
import {
  type SignInProviderChange,
  type SignInProviderDraft,
  type SignInProviders as SignInProviderList,
} from '#shared/admin/sign-in-providers.ts';
import {
  deleteSignInProvider,
  findProviderLogEntry,
  hasProviderAccounts,
  insertSignInProvider,
  lockSignInProviders,
  orderSignInProviders,
  type StoredProvider,
  updateSignInProvider,
} from './sign-in-providers-queries.ts';

export type SignInProviderDeps = {
  db: Database;
  settings: OperatorSettings;
  signInProviders: SignInProviders;
  signInMethods: SignInMethods;
};

/**
 * Admins add, change, order and delete sign-in providers. Each change is in the moderation log with the old and the new
 * values, never with the secret. A change after which the admin could not sign in any more is refused.
 */
export function createProviderChanges({ db, settings, signInProviders, signInMethods }: SignInProviderDeps) {
  return { list, countMembers, add, change, setEnabled, order, remove, undo };

  /** @param headers of the request, for the redirect addresses */
  async function list(headers: Headers): Promise<SignInProviderList> {
    const items = (await signInProviders.list()).map((provider) => ({
      ...toStored(provider),
      isFromEnvironment: provider.id === environmentProviderId,
      hasReadableSecret: provider.clientSecret !== null,
      redirectUri: getRedirectUri(settings, headers, provider.id),
    }));
    const { origin } = new URL(getRedirectUri(settings, headers, environmentProviderId));
    return { items, origin };
  }

  async function countMembers(id: string) {
    const provider = (await signInProviders.list()).find((each) => each.id === id);
    if (provider === undefined) throw new ProblemError('sign-in-provider-not-found');
    return signInMethods.countMembersOfProvider(db, getAccountProviderId(provider));
  }

  async function add(admin: Admin, { clientSecret, ...draft }: SignInProviderDraft): Promise<void> {
    const provider = { ...draft, enabled: true };
    const { id } = provider;
    await transaction(db, async (tx) => {
      await lockSignInProviders(tx);
      const others = await signInProviders.list(tx);
      const { providers: max } = signInProviderLimits;
      if (others.length >= max) throw new ProblemError('too-many-sign-in-providers', { params: { max } });
      if (others.some((other) => other.id === id)) throw invalidFieldError('id', 'sign-in-provider-id-taken');
      requireOwnIssuer(provider, others);
      const encryptedClientSecret = encryptClientSecret(settings, { id, clientSecret });
      await insertSignInProvider(tx, { ...provider, encryptedClientSecret });
      const { id: subject, ...after } = provider;
      await log(tx, { admin, action: 'add_sign_in_provider', subject, before: {}, after });
    });
  }

  async function change(
    admin: Admin,
    id: string,
    { clientSecret, ...wanted }: SignInProviderChange,
  ): Promise<void> {
    await transaction(db, (tx) => update(tx, { admin, id, wanted, clientSecret }));
  }

  async function setEnabled(admin: Admin, id: string, enabled: boolean): Promise<void> {
    await transaction(db, (tx) => update(tx, { admin, id, wanted: { enabled }, clientSecret: null }));
  }

  async function update(
    tx: Tx,
    {
      admin,
      id,
      wanted,
      clientSecret,
    }: { admin: Admin; id: string; wanted: Partial<StoredProvider>; clientSecret: string | null },
  ): Promise<void> {
    await lockSignInProviders(tx);
    const all = await signInProviders.list(tx);
    const before = toStored(requireStored(all, id));
    const after = { ...before, ...wanted, id };
    if (after.issuer !== before.issuer) {
      // Otherwise the address of another server would be enough to be sent the secret.
      if (clientSecret === null) throw invalidFieldError('clientSecret', 'secret-for-new-issuer');
      if (await hasProviderAccounts(tx, getAccountProviderId(before)))
        throw invalidFieldError('issuer', 'sign-in-provider-issuer-linked');
    }
    requireOwnIssuer(after, all);
    const changed = getChanges(before, after);
    if (Object.keys(changed).length === 0 && clientSecret === null) return;
    const encryptedClientSecret =
      clientSecret === null ? null : encryptClientSecret(settings, { id, clientSecret });
    await updateSignInProvider(tx, { ...after, encryptedClientSecret });
    if (before.enabled && !after.enabled) await requireSignIn(tx, admin);
    await log(tx, {
      admin,
      action: 'change_sign_in_provider',
      subject: id,
      before: getChanges(after, before),
      after: { ...changed, ...(clientSecret !== null && { clientSecret: 'replaced' }) },
    });
  }

  async function order(admin: Admin, ids: readonly string[]): Promise<void> {
    await transaction(db, (tx) => storeOrder(tx, admin, ids));
  }

  async function storeOrder(tx: Tx, admin: Admin, ids: readonly string[]): Promise<void> {
    await lockSignInProviders(tx);
    const before = listStoredIds(await signInProviders.list(tx));
    if (!isDeepStrictEqual(before.toSorted(), ids.toSorted()))
      throw new ProblemError('sign-in-provider-order-changed');
    if (isDeepStrictEqual(before, ids)) return;
    await orderSignInProviders(tx, ids);
    const states = { before: { order: before }, after: { order: ids } };
    await log(tx, { admin, action: 'order_sign_in_providers', ...states });
  }

  /**
   * Deletes a provider with its secret. Linked accounts stay in the database without effect: a provider with the same
   * issuer that is added later has them again.
   */
  async function remove(admin: Admin, id: string): Promise<void> {
    await transaction(db, async (tx) => {
      await lockSignInProviders(tx);
      const { id: subject, ...before } = toStored(requireStored(await signInProviders.list(tx), id));
      await deleteSignInProvider(tx, id);
      await requireSignIn(tx, admin);
      await log(tx, { admin, action: 'delete_sign_in_provider', subject, before, after: {} });
    });
  }

  /** Restores the values before a change of the log, unless they changed again. A replaced secret is lost. */
  async function undo(admin: Admin, entryId: number): Promise<void> {
    await transaction(db, async (tx) => {
      const entry = await findProviderLogEntry(tx, entryId);
      if (entry === undefined) throw new ProblemError('sign-in-provider-not-found');
      await lockSignInProviders(tx);
      const all = await signInProviders.list(tx);
      const current =
        entry.action === 'order_sign_in_providers'
          ? { order: listStoredIds(all) }
          : toStored(requireStored(all, entry.subject ?? ''));
      if (!isDeepStrictEqual({ ...current, ...entry.after }, current))
        throw new ProblemError('sign-in-provider-changed-since');
      const { order: ids, ...wanted } = entry.before;
      if (ids === undefined) await update(tx, { admin, id: entry.subject ?? '', wanted, clientSecret: null });
      else await storeOrder(tx, admin, ids);
    });
  }

  /** The admin must be able to sign in afterwards. */
  async function requireSignIn(tx: Tx, admin: Admin): Promise<void> {
    await signInMethods.requireOne(tx, admin.id, 'other-sign-in-method-needed');
  }
}

type LoggedChange = {
  admin: Admin;
  action: Parameters<typeof insertLogEntry>[1]['action'];
  /** The id of the provider. */
  subject?: string;
  before: Parameters<typeof insertLogEntry>[1]['before'];
  after: Parameters<typeof insertLogEntry>[1]['before'];
};

async function log(tx: Tx, { admin, ...entry }: LoggedChange): Promise<void> {
  await insertLogEntry(tx, { moderatorId: admin.id, reason: '', post: null, memberId: null, ...entry });
}

function requireStored(providers: readonly ConfiguredProvider[], id: string): ConfiguredProvider {
  const provider = providers.find((each) => each.id === id && id !== environmentProviderId);
  if (provider === undefined) throw new ProblemError('sign-in-provider-not-found');
  return provider;
}

/** Two providers with one issuer would be two buttons for the same accounts. */
function requireOwnIssuer(
  { id, issuer }: Pick<StoredProvider, 'id' | 'issuer'>,
  all: readonly ConfiguredProvider[],
): void {
  const { href } = new URL(issuer);
  if (all.some((other) => other.id !== id && new URL(other.issuer).href === href))
    throw invalidFieldError('issuer', 'sign-in-provider-issuer-taken');
}

const listStoredIds = (providers: readonly ConfiguredProvider[]) =>
  providers.map(({ id }) => id).filter((id) => id !== environmentProviderId);

/** The values without the secret, as they are logged. */
function toStored(provider: ConfiguredProvider): StoredProvider {
  const { id, name, issuer, clientId, scopes, trustsEmail, isEnabled: enabled } = provider;
  return { id, name, issuer, clientId, scopes, trustsEmail, enabled };
}

/** The values of `after` that differ from `before`. */
function getChanges(before: StoredProvider, after: StoredProvider): Partial<StoredProvider> {
  const entries = Object.entries(after).filter(
    ([name, value]) => before[name as keyof StoredProvider] !== value,
  );
  return Object.fromEntries(entries);
}
