import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, getSqlState } from '#server/core/database.ts';
import { findRequestLanguage } from '#server/core/languages.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { ProviderIdentity, IdentityProvider } from './oidc-client.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { displayName, email as emailSchema } from '#shared/identity/accounts.ts';
import { sanitizeName } from '#shared/identity/display-names.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import { type OwnProviderAccount } from '#shared/identity/sign-in-providers.ts';
import { type Reauthentication } from '#shared/identity/two-factor.ts';
import type { Accounts, Visitor } from './accounts.ts';
import type { Auth } from './auth.ts';
import { isEmailTaken } from './account-links-queries.ts';
import type { Joining } from './joining.ts';
import type { RequirePassword } from './reauthentication.ts';
import { isImpersonation } from './display-names.ts';
import { linkAccount, getProviderId, unlinkAccount } from './providers-accounts.ts';
import { createSignUpCookie } from './providers-sign-up.ts';
import { findProviderAccount, findMemberByProviderAccount } from './providers-queries.ts';
import { findMemberByEmail } from './accounts-queries.ts';
import { getRelyingParty } from './passkeys.ts';
import { consumeNonce } from './two-factor-queries.ts';
import type { Registrations } from './registrations.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';
import type { SignInMethods } from './sign-in-methods.ts';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';

export type Providers = ReturnType<typeof createProviders>;

/** The outcome of returning from the provider. `email`: the address of the member whose password is required. */
export type ProviderSignInOutcome = SignInOutcome & {
  linked: boolean;
  email: string | null;
  next: string | null;
  /** Whether the member was just created. */
  registered: boolean;
  /** Whether the new member must answer the questions of the community first. */
  needsAnswers: boolean;
};

const pendingVisitSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** The member who links an account in the settings; null when signing in. */
  memberId: z.number().nullable(),
  next: z.string().nullable(),
  /** The token of the invitation, for a new member. */
  invitation: z.string().nullable(),
});
type PendingVisit = z.infer<typeof pendingVisitSchema>;

export type ProvidersDeps = {
  db: Database;
  auth: Auth;
  settings: SiteSettings;
  joining: Joining;
  accounts: Accounts;
  signingIn: SignIn;
  registrations: Registrations;
  requirePassword: RequirePassword;
  signInMethods: SignInMethods;
  /** Absent if none is configured. */
  provider: IdentityProvider | undefined;
};

/**
 * Sign-in with an OpenID Connect provider. Accounts are identified by their subject alone. A new member needs an
 * address that the provider has verified. If a member already has that address, they prove by their password that it is
 * them, so no one gets an account by claiming its address elsewhere.
 */
export function createProviders(deps: ProvidersDeps) {
  const { db, auth, settings, joining, accounts, signingIn, signInMethods, requirePassword, registrations } =
    deps;
  const visitCookie = createEncryptedCookie(settings, {
    name: 'provider',
    schema: pendingVisitSchema,
    maxAgeSeconds: 15 * 60,
  });
  const linkCookie = createEncryptedCookie(settings, {
    name: 'provider_link',
    schema: z.object({ subject: z.string(), email: z.string() }),
    maxAgeSeconds: 10 * 60,
  });
  const signUpCookie = createSignUpCookie(settings);
  // Only against floods, as for registrations (accounts.ts).
  const registrationLimit = createRateLimit(db, { name: 'register', points: 1000, seconds: 60 * 60 });
  return { begin: beginSignIn, beginLinking, finish, registerWithAnswers, link, own: getOwnAccount, unlink };

  /** Returns the URL to send a browser to for signing in, and the cookie to set. */
  async function beginSignIn(headers: Headers, wanted: Pick<PendingVisit, 'next' | 'invitation'>) {
    return redirectToProvider(headers, { memberId: null, ...wanted });
  }

  /** Does the same for a signed-in member who links an account. */
  async function beginLinking(viewer: Viewer, proof: Reauthentication, headers: Headers) {
    await requirePassword(viewer, proof);
    return redirectToProvider(headers, { memberId: viewer.id, next: null, invitation: null });
  }

  async function redirectToProvider(
    headers: Headers,
    why: Pick<PendingVisit, 'memberId' | 'next' | 'invitation'>,
  ) {
    const redirectUri = `${getRelyingParty(settings, headers).origin}/sign-in/callback`;
    const { url, visit: pending } = await requireProvider().begin(redirectUri);
    return { url, cookie: visitCookie.set({ ...pending, ...why }) };
  }

  /**
   * Handles the return from the provider.
   * @param query of the address that the browser was sent to
   */
  async function finish(query: string, visitor: Visitor): Promise<ProviderSignInOutcome> {
    const pending = visitCookie.read(visitor.headers);
    const until = new Date(databaseNowMs() + visitCookie.maxAgeSeconds * 1_000);
    if (pending === null || !(await consumeNonce(db, `provider ${pending.state}`, until)))
      throw new ProblemError('sign-in-expired');
    const identity = await requireProvider().finish(query, pending);
    const outcome = await (pending.memberId === null
      ? signInOrRegister(identity, pending.invitation, visitor)
      : linkToViewer(identity, pending.memberId, visitor));
    return { ...outcome, cookies: [...outcome.cookies, visitCookie.clear()], next: pending.next };
  }

  async function signInOrRegister(
    identity: ProviderIdentity,
    invitation: string | null,
    visitor: Visitor,
  ): Promise<Omit<ProviderSignInOutcome, 'next'>> {
    const { subject, email: providerEmail } = identity;
    const plain = { linked: false, email: null, registered: false, needsAnswers: false };
    const existing = await findMemberByProviderAccount(db, { providerId: getProviderId(settings), subject });
    if (existing !== undefined)
      return { ...(await signingIn.afterFirstFactor(existing.memberId, visitor.headers)), ...plain };
    const parsed = emailSchema.safeParse(providerEmail);
    if (!parsed.success) throw new ProblemError('provider-email-not-verified');
    const email = parsed.data;
    if ((await findMemberByEmail(db, email)) !== undefined)
      return { ...plain, memberId: null, cookies: [linkCookie.set({ subject, email })], email };
    if (joining.questions().length > 0) {
      if (!settings.isSignUpOpen) throw new ProblemError('registration-closed');
      await joining.check({ email, invitation });
      const names = identity.names.map((name) => name.slice(0, 200)).slice(0, 5);
      const cookies = [signUpCookie.set({ subject, email, names, invitation })];
      return { ...plain, memberId: null, cookies, needsAnswers: true };
    }
    const memberId = await register({ ...identity, email, invitation, signUpAnswers: [] }, visitor);
    return {
      ...plain,
      memberId,
      cookies: await signingIn.begin(memberId, visitor.headers),
      registered: true,
    };
  }

  /** Creates the account of someone who was asked the questions of the community, and signs in. */
  async function registerWithAnswers(
    signUpAnswers: readonly SignUpAnswer[],
    visitor: Visitor,
  ): Promise<SignInOutcome> {
    const pending = signUpCookie.read(visitor.headers);
    if (pending === null) throw new ProblemError('sign-in-expired');
    joining.checkAnswers(signUpAnswers);
    const memberId = await register({ ...pending, signUpAnswers }, visitor);
    return {
      memberId,
      cookies: [...(await signingIn.begin(memberId, visitor.headers)), signUpCookie.clear()],
    };
  }

  async function register(
    identity: ProviderIdentity & {
      email: string;
      invitation: string | null;
      signUpAnswers: readonly SignUpAnswer[];
    },
    visitor: Visitor,
  ): Promise<number> {
    if (!settings.isSignUpOpen) throw new ProblemError('registration-closed');
    if (!(await registrationLimit.consume(visitor.networkAddress)))
      throw new ProblemError('registration-failed', { retryAfter: 60 * 60 });
    const { email, subject, invitation, signUpAnswers } = identity;
    await joining.check({ email, invitation });
    const emailTaken = new ProblemError('email-taken');
    // An address can be reserved for a member who can still revert a change.
    if (await isEmailTaken(db, { address: email })) throw emailTaken;
    try {
      const body = {
        name: await chooseDisplayName(identity),
        email,
        providerId: getProviderId(settings),
        accountId: subject,
        language: findRequestLanguage(visitor.headers),
      };
      const { memberId } = await joining.admit({ invitation, signUpAnswers }, (application) =>
        auth.api.createMember({ body: { ...body, application } }),
      );
      await registrations.note({ memberId, address: visitor.networkAddress, isConfirmed: true });
      return memberId;
    } catch (error) {
      throw isUniqueViolation(error) ? emailTaken : error;
    }
  }

  /**
   * Returns the first name from the provider that is allowed here (docs/product.md 3.5), without forbidden characters.
   * Display names are public, so if the name is an email address, its local part is used.
   */
  async function chooseDisplayName({ names, email }: ProviderIdentity & { email: string }): Promise<string> {
    for (const candidate of [...names, email]) {
      const [beforeAt = ''] = candidate.split('@');
      const name = displayName.safeParse(sanitizeName(beforeAt));
      if (name.success && !(await isImpersonation(db, name.data, null))) return name.data;
    }
    return 'Member';
  }

  async function linkToViewer(identity: ProviderIdentity, memberId: number, visitor: Visitor) {
    // The member who requested it must still be signed in in this browser.
    const session = await accounts.viewer(visitor.headers);
    if (session?.viewer.id !== memberId) throw new ProblemError('sign-in-expired');
    await linkAccount(db, { memberId, subject: identity.subject, settings });
    return {
      memberId,
      cookies: session.cookies,
      linked: true,
      email: null,
      registered: false,
      needsAnswers: false,
    };
  }

  /** Signs in the member who has the address of the provider's account, by their password, and links the account. */
  async function link(password: string, visitor: Visitor): Promise<SignInOutcome> {
    const pending = linkCookie.read(visitor.headers);
    if (pending === null) throw new ProblemError('sign-in-expired');
    const { email, subject } = pending;
    const memberId = await accounts.checkPassword({ email, password }, visitor);
    const outcome = await signingIn.afterFirstFactor(memberId, visitor.headers, { subject });
    return { ...outcome, cookies: [...outcome.cookies, linkCookie.clear()] };
  }

  async function getOwnAccount(memberId: number): Promise<OwnProviderAccount> {
    const name = settings.identityProvider?.name ?? null;
    if (name === null) return { provider: null, since: null };
    const linked = await findProviderAccount(db, { providerId: getProviderId(settings), memberId });
    return { provider: name, since: linked?.created_at.toISOString() ?? null };
  }

  async function unlink(viewer: Viewer, proof: Reauthentication): Promise<void> {
    await requirePassword(viewer, proof);
    await unlinkAccount(db, { memberId: viewer.id, settings, signInMethods });
  }

  function requireProvider(): IdentityProvider {
    if (deps.provider !== undefined) return deps.provider;
    throw new ProblemError('provider-not-configured');
  }
}

/** The unique constraints decide between two concurrent browsers. */
const isUniqueViolation = (error: unknown) => getSqlState(error) === '23505';
