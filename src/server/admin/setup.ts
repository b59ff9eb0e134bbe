import { type Database, transaction } from '#server/core/database.ts';
import { invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import { createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import { signToken, verifyToken } from '#server/core/signed-tokens.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { Accounts, NewSession, Visitor } from '#server/identity/index.ts';
import { readIssue } from '#shared/core/coded-error.ts';
import type { SettingName } from '#shared/core/setting-catalogue.ts';
import type { SettingValue } from '#shared/core/settings/setting-definition.ts';
import { type SetupDraft, setupSettings, type SetupState } from '#shared/admin/setup.ts';
import { changeRole } from './roles.ts';
import { lockMemberForRole } from './roles-queries.ts';
import { replaceValue } from './settings.ts';
import { hasMembers, isSetUp, markSetUp } from './setup-queries.ts';

const purpose = 'setup';

/** The link with which the owner of a new community becomes its first admin, or null if it has one. */
export async function findSetupLink(
  db: Database,
  { secret, publicUrl, address }: { secret: string; publicUrl: string | null; address: string },
): Promise<string | null> {
  if (await isSetUp(db)) return null;
  return `${publicUrl ?? address}/setup#${signToken({ secret, purpose }, purpose)}`;
}

export type SetupDeps = { db: Database; settings: OperatorSettings; accounts: Accounts };

/** Sets a new community up: its first settings and its first admin. */
export function createSetup({ db, settings, accounts }: SetupDeps) {
  const attempts = createRateLimit(db, { name: 'setup', points: 20, seconds: 60 * 60 });

  return { readState, complete };

  async function readState(): Promise<SetupState> {
    return { completed: await isSetUp(db), isEmpty: !(await hasMembers(db)) };
  }

  /**
   * Registers the owner, or takes the signed-in member, and makes them an admin. If it ends in the middle, the account
   * exists, and the owner can sign in and open the link again.
   * @param viewerId the signed-in member, null for visitors
   * @throws ProblemError 'not-allowed' for a wrong link, 'already-handled', 'invalid', and the errors of a registration
   */
  async function complete(
    draft: SetupDraft,
    { visitor, viewerId }: { visitor: Visitor; viewerId: number | null },
  ): Promise<NewSession | null> {
    await requirePoint(attempts, { key: visitor.networkAddress, code: 'too-often' });
    if (verifyToken({ secret: settings.secret, purpose }, draft.token) !== purpose)
      throw new ProblemError('setup-link-not-valid');
    if (await isSetUp(db)) throw new ProblemError('setup-completed');
    const values = parseSettings(draft);
    if (viewerId === null && draft.account === null) throw new ProblemError('signed-out');
    const session =
      viewerId === null && draft.account !== null
        ? await accounts.register(draft.account, visitor, { isOwner: true })
        : null;
    const adminId = session?.memberId ?? viewerId ?? 0;
    await transaction(db, async (tx) => {
      if (!(await markSetUp(tx))) throw new ProblemError('setup-completed');
      const member = await lockMemberForRole(tx, adminId);
      if (member === undefined) throw new ProblemError('signed-out');
      await changeRole(tx, { adminId, member, role: 'admin' });
      for (const [name, value] of values) await replaceValue(tx, { adminId, name, value });
    });
    return session;
  }
}

function parseSettings(draft: SetupDraft): [SettingName, SettingValue][] {
  return Object.entries(setupSettings).map(([name, schema]) => {
    const value = schema.safeParse(draft[name as keyof typeof setupSettings]);
    if (!value.success)
      throw invalidFieldsError(value.error.issues.map((issue) => ({ field: name, ...readIssue(issue) })));
    return [name as SettingName, value.data];
  });
}
