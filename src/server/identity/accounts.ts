import { APIError } from 'better-auth/api';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, type Queryable, transaction } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import { findRequestLanguage } from '#server/core/languages.ts';
import { invalidFieldError, invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import type { MemberStatus, Viewer } from '#server/core/http.ts';
import { createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import {
  type Credentials,
  displayName,
  email as emailSchema,
  findRegistrationProblem,
  type Me,
  type PendingStep,
  type Registration,
  type SessionState,
} from '#shared/identity/accounts.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { Role } from '#shared/identity/roles.ts';
import { type Auth, getSessionRenewalTime } from './auth.ts';
import { matchesPasswordHash, refuseCommonPassword } from './passwords.ts';
import { createPasswordAttemptLimit } from './sign-in-limits.ts';
import { refuseImpersonation } from './display-names.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import { isEmailTaken } from './account-links-queries.ts';
import { refuseBlockedEmail } from './blocked-emails.ts';
import {
  deleteOtherSessions,
  deleteSession,
  findAccountStatus,
  findCredential,
  findMemberByEmail,
  findOwnMember,
  findSession,
} from './accounts-queries.ts';
import type { Joining } from './joining.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import type { Registrations } from './registrations.ts';
import { recordSecurityEvent } from './security-events.ts';
import type { AuthenticatedMember } from './sign-in.ts';
import type { SessionCache } from './sessions-cache.ts';
import { readSessionToken } from './sessions-cookie.ts';

export { listMembersByEmail } from './accounts-queries.ts';

export type Accounts = ReturnType<typeof createAccounts>;

/** The request's headers, with cookie and user agent, and the network address for rate limits. */
export type Visitor = { headers: Headers; networkAddress: string };

/** The member of a new session and the cookies to set. */
export type NewSession = { memberId: number; cookies: string[] };

export type AccountsOptions = {
  db: Database;
  auth: Auth;
  settings: OperatorSettings;
  /** Absent where members neither register nor sign in. */
  passwordSignIn?: PasswordSignIn | undefined;
  /** Absent where members cannot register. */
  joining?: Joining | undefined;
  /** Absent: every request reads the session from the database. */
  sessionCache?: SessionCache | undefined;
  /** Absent where members cannot register. */
  registrations?: Registrations | undefined;
  /** Called after a registration. */
  onRegistered?: ((memberId: number) => Promise<void>) | undefined;
};

/** Stops only mass registrations (docs/product.md 17.1): a university's first lecture of the year stays below the limit. */
export const createRegistrationLimit = (db: Database) =>
  createRateLimit(db, { name: 'register', points: 1000, seconds: 60 * 60 });

/** Registration, sign-in and sign-out. */
export function createAccounts(options: AccountsOptions) {
  const { db, auth, settings, passwordSignIn, joining, sessionCache, onRegistered } = options;
  const attemptLimit = createPasswordAttemptLimit(db);
  const knownBrowsers = createKnownBrowsers(db, settings);
  const registrationLimit = createRegistrationLimit(db);

  return { register, checkPassword, signOut, viewer: getMember, account: getAccount };

  /**
   * @param options.isOwner registers the first admin, also while registration is closed
   * @throws ProblemError with the texts of docs/product.md 2.1 and 2.2.
   */
  async function register(
    form: Registration,
    visitor: Visitor,
    { isOwner = false }: { isOwner?: boolean } = {},
  ): Promise<NewSession> {
    passwordSignIn?.require();
    if (!settings.isSignUpOpen && !isOwner) throw new ProblemError('password-sign-in-disabled');
    const wrong = findRegistrationProblem(form);
    if (wrong !== null) throw invalidFieldsError([wrong]);
    const name = displayName.parse(form.displayName);
    await refuseImpersonation(db, name, null);
    await refuseCommonPassword(settings, form.password, 'password');
    await requirePoint(registrationLimit, { key: visitor.networkAddress, code: 'registration-failed' });
    const email = emailSchema.parse(form.email);
    const { invitation = null } = form;
    // The owner may always join.
    const rules = isOwner ? undefined : joining;
    await rules?.check({ email, invitation });
    rules?.checkAnswers(form.signUpAnswers);
    if (await isEmailTaken(db, { address: email })) throw new ProblemError('email-taken');
    await refuseBlockedEmail(db, { secret: settings.secret, address: email });
    const create = (application: ApplicationStatus | null) =>
      createAccount({ name, email, form, application }, visitor);
    const { memberId, cookies } = rules
      ? await rules.admit({ invitation, signUpAnswers: form.signUpAnswers }, create)
      : await create(null);
    await options.registrations?.note({ memberId, address: visitor.networkAddress, isConfirmed: false });
    // The member can request the email again in the settings. The account exists.
    await onRegistered?.(memberId).catch(() => {});
    return { memberId, cookies: [...cookies, knownBrowsers.remember(visitor.headers, memberId)] };
  }

  async function createAccount(
    {
      name,
      email,
      form,
      application,
    }: { name: string; email: string; form: Registration; application: ApplicationStatus | null },
    { headers }: Visitor,
  ): Promise<NewSession> {
    try {
      const { headers: responseHeaders, response } = await auth.api.signUpEmail({
        body: {
          name,
          email,
          password: form.password,
          showEmail: form.showEmail,
          language: findRequestLanguage(headers) ?? undefined,
          ...(application !== null && { application }),
        },
        headers,
        returnHeaders: true,
      });
      return { memberId: Number(response.user.id), cookies: responseHeaders.getSetCookie() };
    } catch (error) {
      // The unique constraint decided between two concurrent registrations of one address.
      if (await findMemberByEmail(db, email)) throw new ProblemError('email-taken');
      throw error;
    }
  }

  /**
   * Returns the member with this address and password. Does not sign in.
   * @throws ProblemError with the texts of docs/product.md 2.5 to 2.7.
   */
  async function checkPassword(credentials: Credentials, visitor: Visitor): Promise<AuthenticatedMember> {
    const parsed = emailSchema.safeParse(credentials.email);
    if (!parsed.success) throw invalidFieldError('email', 'email-not-valid');
    const email = parsed.data;
    const credential = await findCredential(db, email);
    const browser =
      credential === undefined ? null : await knownBrowsers.browserOf(visitor.headers, credential.memberId);
    const member = await attemptLimit.attempt(email, { network: visitor.networkAddress, browser }, async () =>
      (await matchesPasswordHash(credential?.password, credentials.password)) ? credential : undefined,
    );
    if (member === undefined) throw await createSignInProblem(email);
    return member;
  }

  async function createSignInProblem(email: string): Promise<ProblemError> {
    if (passwordSignIn?.hidesReason() === true) return new ProblemError('wrong-credentials');
    return (await findMemberByEmail(db, email))
      ? new ProblemError('wrong-password')
      : new ProblemError('unknown-email');
  }

  /** Ends the session of the cookie, if there is one. Returns the cookies to clear. */
  async function signOut(headers: Headers): Promise<string[]> {
    const session = await getAccount(headers);
    // better-auth would clear the cookie even if it could not delete the session.
    if (session !== null) {
      const { id, sessionId } = session.viewer;
      await transaction(db, async (tx) => {
        await deleteSession(tx, { id: sessionId, memberId: id });
        await publish(tx, `member:${id}`, { kind: 'sessions-ended', sessionId, except: null });
      });
    }
    const result = await auth.api.signOut({ headers, returnHeaders: true });
    return result.headers.getSetCookie();
  }

  /**
   * Returns the member of a request and the cookies to renew; null without a valid session, and for an account that is
   * not a member's yet.
   */
  async function getMember(headers: Headers): Promise<{ viewer: Viewer; cookies: string[] } | null> {
    const session = await getAccount(headers);
    return session?.viewer.memberStatus.application === null ? session : null;
  }

  /** Returns the account of a request, a member's or not. */
  async function getAccount(headers: Headers): Promise<{ viewer: Viewer; cookies: string[] } | null> {
    const cookie = headers.get('cookie');
    if (cookie === null) return null;
    const cached = sessionCache?.findAccount(cookie);
    if (cached !== undefined) return { viewer: cached, cookies: [] };
    const cacheSession = sessionCache?.beginLookup();
    const current = await findCurrentSession(cookie);
    if (current !== null) {
      cacheSession?.(cookie, current.viewer, current.renewedAt);
      return { viewer: current.viewer, cookies: [] };
    }
    const result = await auth.api.getSession({ headers, returnHeaders: true }).catch((error: unknown) => {
      // Another request ended the session while this one renewed it.
      if (error instanceof APIError && error.statusCode === 401) return null;
      throw error;
    });
    if (result === null || result.response === null) return null;
    const { session } = result.response;
    const id = Number(session.userId);
    const viewer = await findViewer(db, { id, sessionId: Number(session.id), tokenId: null });
    if (viewer === null) return null;
    cacheSession?.(cookie, viewer, getSessionRenewalTime(session.expiresAt));
    return { viewer, cookies: result.headers.getSetCookie() };
  }

  /** Returns a valid session that is not due for renewal, with one statement. better-auth handles all others. */
  async function findCurrentSession(cookie: string): Promise<{ viewer: Viewer; renewedAt: number } | null> {
    const token = readSessionToken(cookie, settings);
    const row = token === null ? undefined : await findSession(db, token);
    if (row === undefined) return null;
    const renewedAt = getSessionRenewalTime(row.expiresAt);
    if (renewedAt <= databaseNowMs()) return null;
    const { memberId: id, sessionId } = row;
    return { viewer: toViewer({ id, sessionId, tokenId: null }, row), renewedAt };
  }
}

/** Returns the viewer of a session or an API token; null if the member does not exist. */
export async function findViewer(
  db: Queryable,
  access: Pick<Viewer, 'id' | 'sessionId' | 'tokenId'>,
): Promise<Viewer | null> {
  const row = await findAccountStatus(db, access.id);
  return row === undefined ? null : toViewer(access, row);
}

const toViewer = (access: Pick<Viewer, 'id' | 'sessionId' | 'tokenId'>, row: AccountStatusColumns): Viewer =>
  ({ ...access, memberStatus: toAccountStatus(row) }) as Viewer;

/**
 * Ends one of the viewer's sessions and its live connections.
 * @throws ProblemError 'not-found'
 */
export async function endSession(db: Database, { viewer, sessionId }: { viewer: Viewer; sessionId: number }) {
  await transaction(db, async (tx) => {
    if (!(await deleteSession(tx, { id: sessionId, memberId: viewer.id })))
      throw new ProblemError('session-not-found');
    await publish(tx, `member:${viewer.id}`, { kind: 'sessions-ended', sessionId, except: null });
    if (sessionId !== viewer.sessionId)
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'sessions-ended' });
  });
}

/** Ends all of the viewer's sessions except the current one. */
export async function endOtherSessions(db: Database, viewer: Viewer): Promise<void> {
  const except = viewer.sessionId;
  await transaction(db, async (tx) => {
    const ended = await deleteOtherSessions(tx, { exceptSessionId: except, memberId: viewer.id });
    await publish(tx, `member:${viewer.id}`, { kind: 'sessions-ended', sessionId: null, except });
    if (ended > 0) await recordSecurityEvent(tx, { memberId: viewer.id, event: 'sessions-ended' });
  });
}

/** Returns the state of a session of this account: its member, or the account if it is not a member's yet. */
export async function getSessionState(db: Queryable, id: number): Promise<SessionState> {
  const row = await findOwnMember(db, id);
  if (row === undefined || row.email === null) return { member: null };
  const { application: status, email, display_name: displayName } = row;
  if (status === null) return { member: toMe({ ...row, email }) };
  return { member: null, account: { status, displayName: displayName ?? email, email } };
}

/** Returns the member's own data; null if the account is deleted or not a member's yet. */
export async function getMe(db: Queryable, id: number): Promise<Me | null> {
  return (await getSessionState(db, id)).member;
}

type OwnMemberRow = NonNullable<Awaited<ReturnType<typeof findOwnMember>>> & { email: string };

function toMe(row: OwnMemberRow): Me {
  return {
    id: row.id,
    displayName: row.display_name ?? row.email,
    avatar: row.avatar,
    email: row.email,
    bio: row.bio,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    reputation: Math.max(0, row.reputation),
    questionsCount: row.questions_count,
    answersCount: row.answers_count,
    role: row.role,
    suspended: getActiveSuspension(toAccountStatus(row)),
    pendingStep: row.pending_step,
    unreadModeratorMessages: row.unread_moderator_messages,
    hiddenPosts: row.hidden_posts,
  };
}

/** Returns the suspension in effect; null for none. */
export function getActiveSuspension({ suspension: suspended }: MemberStatus): Me['suspended'] {
  if (suspended === null || suspended.until.getTime() <= databaseNowMs()) return null;
  return { until: suspended.until.toISOString(), reason: suspended.reason };
}

/** Returns the suspension in effect from the columns of a member. */
export function getMemberSuspension(row: AccountStatusColumns): Me['suspended'] {
  return getActiveSuspension(toAccountStatus(row));
}

type AccountStatusColumns = {
  role: Role;
  suspended_until: Date | null;
  suspension_reason: string | null;
  pending_step?: PendingStep | null;
  application?: ApplicationStatus | null;
};

function toAccountStatus(row: AccountStatusColumns): MemberStatus {
  const { role, suspended_until: until, suspension_reason: reason } = row;
  const { pending_step: pendingStep = null, application = null } = row;
  const suspension = until === null || reason === null ? null : { until, reason };
  return { role, suspension, pendingStep, application };
}

/**
 * Writes that concern only the member: account security, read state, email and push settings, and objections to
 * removals.
 */
const ownAccountPaths =
  /^\/api\/(sessions|password|two-factor|passkeys|api-tokens|provider-accounts|email-address|account-deletion|notifications|notification-preferences|push-subscription|moderator-messages|hidden-posts|application|questions\/[^/]+\/view)(\/|$)/;

export const isOwnAccountPath = (path: string): boolean => ownAccountPaths.test(path);

/**
 * Suspended members can read but not write.
 * @throws ProblemError 'suspended' with the end (`until`, ISO 8601) and the reason (`reason`).
 */
export function refuseSuspended(
  memberStatus: MemberStatus,
  { method, path }: { method: string; path: string },
) {
  if (method === 'GET' || method === 'HEAD' || isOwnAccountPath(path)) return;
  const suspension = getActiveSuspension(memberStatus);
  if (suspension === null) return;
  const until = `${suspension.until.slice(0, 16).replace('T', ' ')} UTC`;
  throw new ProblemError('suspended', {
    params: { until, reason: suspension.reason },
    extension: { until: suspension.until, reason: suspension.reason },
  });
}
