import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  deleteAccountInTransaction,
  type QueueAccountDeletion,
  refuseImpersonation,
  type RequirePassword,
} from '#server/identity/index.ts';
import { type Admin, insertLogEntry } from '#server/moderation/index.ts';
import { buildProfileEvents } from '#server/posts/index.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { ApiToken } from '#shared/integrations/api-tokens.ts';
import type {
  ServiceAccountDeletion,
  ServiceAccountDraft,
  ServiceAccounts,
  ServiceAccountTokenDraft,
} from '#shared/integrations/service-accounts.ts';
import { deleteApiToken, issueApiToken, toApiToken } from './api-tokens.ts';
import {
  insertServiceAccount,
  listServiceAccounts,
  listServiceAccountTokens,
  lockServiceAccount,
  lockServiceAccounts,
  type ServiceAccountRow,
  setServiceAccountActive,
  updateServiceAccount,
} from './service-accounts-queries.ts';

export type ServiceAccountDeps = {
  db: Database;
  settings: Pick<OperatorSettings, 'secret'>;
  siteSettings: SiteSettings;
  requirePassword: RequirePassword;
  queueAccountDeletion: QueueAccountDeletion | undefined;
};

/**
 * Admins manage the accounts of programs (docs/decisions/127). Each change is in the moderation log. A function that
 * changes an account throws ProblemError 'service-account-not-found' for other accounts.
 */
export function createServiceAccounts(deps: ServiceAccountDeps) {
  const { db, settings, siteSettings, requirePassword, queueAccountDeletion } = deps;
  return { list, add, change, setActive, remove, createToken, revokeToken };

  async function list(reader: Reader): Promise<ServiceAccounts> {
    const [rows, tokens] = await Promise.all([listServiceAccounts(reader), listServiceAccountTokens(reader)]);
    const items = rows.map((row) => ({
      ...row,
      createdAt: row.createdAt.toISOString(),
      tokens: tokens.filter((token) => token.member_id === row.id).map(toApiToken),
    }));
    return { items, tokensEnabled: siteSettings.get('apiTokens') };
  }

  /** @throws ProblemError 'too-many-service-accounts', 'name-too-similar' */
  async function add(admin: Admin, draft: ServiceAccountDraft): Promise<{ id: number }> {
    return transaction(db, async (tx) => {
      await refuseImpersonation(tx, draft.displayName, null);
      if ((await lockServiceAccounts(tx)) >= serverLimits.serviceAccounts)
        throw new ProblemError('too-many-service-accounts', {
          params: { max: serverLimits.serviceAccounts },
        });
      const id = await insertServiceAccount(tx, draft);
      await log(tx, admin, { action: 'add_service_account', id, before: {}, after: toLogged(draft) });
      await publishProfile(tx, id);
      return { id };
    });
  }

  /** @throws ProblemError 'name-too-similar' */
  async function change(admin: Admin, id: number, draft: ServiceAccountDraft): Promise<void> {
    await transaction(db, async (tx) => {
      const before = await requireAccount(tx, id);
      if (before.displayName !== draft.displayName) await refuseImpersonation(tx, draft.displayName, id);
      const isChanged = Object.entries(draft).some(
        ([name, value]) => before[name as keyof typeof draft] !== value,
      );
      if (!isChanged) return;
      await updateServiceAccount(tx, id, draft);
      await log(tx, admin, {
        action: 'change_service_account',
        id,
        before: toLogged(before),
        after: toLogged(draft),
      });
      await publishProfile(tx, id);
    });
  }

  async function setActive(admin: Admin, id: number, active: boolean): Promise<void> {
    await transaction(db, async (tx) => {
      const before = await requireAccount(tx, id);
      if (before.active === active) return;
      await setServiceAccountActive(tx, id, active);
      await log(tx, admin, {
        action: 'change_service_account',
        id,
        before: { active: before.active },
        after: { active },
      });
    });
  }

  /**
   * Deletes an account as members delete theirs.
   * @throws ProblemError as RequirePassword
   */
  async function remove(admin: Admin, id: number, deletion: ServiceAccountDeletion): Promise<void> {
    await requirePassword(admin, deletion);
    await transaction(db, async (tx) => {
      const { displayName } = await requireAccount(tx, id);
      const { posts } = deletion;
      await deleteAccountInTransaction(tx, {
        memberId: id,
        posts,
        secret: settings.secret,
        queueDeletion: queueAccountDeletion,
      });
      await log(tx, admin, {
        action: 'delete_service_account',
        id,
        before: { displayName },
        after: { posts },
      });
    });
  }

  /**
   * Creates a token and returns it. Only its hash is stored.
   * @throws ProblemError 'api-tokens-disabled', 'too-many-api-tokens', or those of RequirePassword
   */
  async function createToken(
    admin: Admin,
    id: number,
    draft: ServiceAccountTokenDraft,
  ): Promise<ApiToken & { token: string }> {
    if (!siteSettings.get('apiTokens')) throw new ProblemError('api-tokens-disabled');
    await requirePassword(admin, draft);
    return transaction(db, async (tx) => {
      await requireAccount(tx, id);
      const token = await issueApiToken(tx, { memberId: id, draft });
      await log(tx, admin, {
        action: 'add_service_account_token',
        id,
        before: {},
        after: { name: token.name, scopes: token.scopes, expiresAt: token.expiresAt },
      });
      return token;
    });
  }

  /** @throws ProblemError 'api-token-not-found' */
  async function revokeToken(admin: Admin, id: number, tokenId: number): Promise<void> {
    await transaction(db, async (tx) => {
      await requireAccount(tx, id);
      const name = await deleteApiToken(tx, { id: tokenId, memberId: id });
      if (name === undefined) throw new ProblemError('api-token-not-found');
      await log(tx, admin, { action: 'revoke_service_account_token', id, before: { name }, after: {} });
    });
  }
}

async function requireAccount(tx: Tx, id: number): Promise<ServiceAccountRow> {
  const account = await lockServiceAccount(tx, id);
  if (account === undefined) throw new ProblemError('service-account-not-found');
  return account;
}

/** The text about the program is left out: entries are never deleted. */
const toLogged = ({ displayName, requestsPerMinute, postsPerHour }: ServiceAccountDraft) => ({
  displayName,
  requestsPerMinute,
  postsPerHour,
});

type Logged = Parameters<typeof insertLogEntry>[1];

async function log(
  tx: Tx,
  admin: Admin,
  entry: Required<Pick<Logged, 'action' | 'before' | 'after'>> & { id: number },
): Promise<void> {
  const { id, action, before, after } = entry;
  await insertLogEntry(tx, {
    moderatorId: admin.id,
    action,
    reason: '',
    post: null,
    memberId: id,
    before,
    after,
  });
  await publishAll(tx, [{ topic: 'moderation', event: { kind: 'moderation-changed' } }]);
}

/** Pages with the name of the account, and mirrors, read it again. */
async function publishProfile(tx: Tx, id: number): Promise<void> {
  await publishAll(tx, [
    ...buildProfileEvents([id]),
    { topic: `profile:${id}`, event: { kind: 'member-renamed' } },
  ]);
}
