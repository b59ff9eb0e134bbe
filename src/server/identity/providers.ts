import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, getSqlState, transaction } from '#server/core/database.ts';
import { findRequestLanguage } from '#server/core/languages.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { ProviderIdentity, ProviderPerson } from './oidc-client.ts';
import { requirePoint } from '#server/core/rate-limits.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { displayName, email as emailSchema } from '#shared/identity/accounts.ts';
import { sanitizeName } from '#shared/identity/display-names.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import {
  type NamedProvider,
  type OwnProviderAccount,
  type ProviderCallback,
  type ProviderSignInRequest,
} from '#shared/identity/sign-in-providers.ts';
import { type Reauthentication } from '#shared/identity/two-factor.ts';
import { type Accounts, createRegistrationLimit, type Visitor } from './accounts.ts';
import type { Auth } from './auth.ts';
import { isEmailTaken, lockMember, updateEmail } from './account-links-queries.ts';
import { refuseBlockedEmail } from './blocked-emails.ts';
import type { Joining } from './joining.ts';
import { requireSession, type RequirePassword } from './reauthentication.ts';
import { isImpersonation } from './display-names.ts';
import { linkAccount, type ProviderAccountKey, unlinkAccount } from './providers-accounts.ts';
import { createSignUpCookie } from './providers-sign-up.ts';
import { findMemberByProviderAccount, listProviderAccounts } from './providers-queries.ts';
import { findMemberByEmail } from './accounts-queries.ts';
import { consumeNonce } from './two-factor-queries.ts';
import { noteConfirmedEmail, type Registrations } from './registrations.ts';
import type { AuthenticatedMember, SignIn, SignInOutcome } from './sign-in.ts';
import type { SignInMethods } from './sign-in-methods.ts';
import { findAccessState, hasSignInMethod } from './sign-in-methods-queries.ts';
import { getAccountProviderId, getRedirectUri, isUsable, type SignInProviders } from './sign-in-providers.ts';
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
  /** The id of the provider. */
  provider: z.string(),
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
  settings: OperatorSettings;
  joining: Joining;
  accounts: Accounts;
  signingIn: SignIn;
  registrations: Registrations;
  requirePassword: RequirePassword;
  signInMethods: SignInMethods;
  signInProviders: SignInProviders;
  /** Called after a registration with an address that the provider has not verified. */
  onUnconfirmed: (memberId: number) => Promise<void>;
};

/** Someone who returns from a provider, with the key of their account there. */
type Arrival = Pick<ProviderIdentity, 'readPerson'> & {
  account: ProviderAccountKey;
  invitation: string | null;
};

/** Someone whose account is created now. */
type NewMember = Pick<Arrival, 'account' | 'invitation'> &
  Pick<ProviderPerson, 'names' | 'isVerified'> & {
    email: string;
  };

/**
 * Sign-in with OpenID Connect providers. Accounts are identified by issuer and subject alone. A new member needs an
 * address that the provider has verified, or has from a provider that an admin trusts; the member then confirms it. If a member already has that address, they prove by their password that it is
 * them, so no one gets an account by claiming its address elsewhere. For an account without any sign-in method, such as
 * an imported one, the verified address is enough, as for a reset of the password.
 */
export function createProviders(deps: ProvidersDeps) {
  const { db, auth, settings, joining, accounts, signingIn, signInMethods, requirePassword } = deps;
  const { registrations, signInProviders } = deps;
  const visitCookie = createEncryptedCookie(settings, {
    name: 'provider',
    schema: pendingVisitSchema,
    maxAgeSeconds: 15 * 60,
  });
  const linkCookie = createEncryptedCookie(settings, {
    name: 'provider_link',
    schema: z.object({
      provider: z.string(),
      account: z.object({ providerId: z.string(), subject: z.string() }),
      email: z.string(),
    }),
    maxAgeSeconds: 10 * 60,
  });
  const signUpCookie = createSignUpCookie(settings);
  const registrationLimit = createRegistrationLimit(db);
  return {
    list: listEnabled,
    begin: beginSignIn,
    beginLinking,
    finish,
    registerWithAnswers,
    link,
    own: listOwnAccounts,
    unlink,
  };

  /** Returns the names of the providers for the buttons of the sign-in page. */
  async function listEnabled(): Promise<NamedProvider[]> {
    return (await signInProviders.list())
      .filter(({ isEnabled }) => isEnabled)
      .map(({ id, name }) => ({ id, name }));
  }

  /** Returns the URL to send a browser to for signing in, and the cookie to set. */
  async function beginSignIn(headers: Headers, { provider, next, invitation }: ProviderSignInRequest) {
    const wanted = { next: next ?? null, invitation: invitation ?? null };
    return redirectToProvider(headers, { provider, memberId: null, ...wanted });
  }

  /** Does the same for a signed-in member who links an account. */
  async function beginLinking(
    viewer: Viewer,
    { provider, proof }: { provider: string; proof: Reauthentication },
    headers: Headers,
  ) {
    await requirePassword(viewer, proof);
    return redirectToProvider(headers, { provider, memberId: viewer.id, next: null, invitation: null });
  }

  async function redirectToProvider(
    headers: Headers,
    why: Pick<PendingVisit, 'provider' | 'memberId' | 'next' | 'invitation'>,
  ) {
    const { client } = await signInProviders.require(why.provider);
    const { url, visit } = await client.begin(getRedirectUri(settings, headers, why.provider));
    return { url, cookie: visitCookie.set({ ...visit, ...why }) };
  }

  /**
   * Handles the return from a provider. Each provider has a redirect address of its own, so that no provider can send a
   * code of another one here as its own (RFC 9700, section 4.4).
   * @param callback the address that the browser was sent to
   */
  async function finish(
    { query, provider }: Required<ProviderCallback>,
    visitor: Visitor,
  ): Promise<ProviderSignInOutcome> {
    const pending = visitCookie.read(visitor.headers);
    const until = new Date(databaseNowMs() + visitCookie.maxAgeSeconds * 1_000);
    if (pending === null) throw new ProblemError('sign-in-expired');
    // Before the state is used up: the return to another tab, or any link to this page, must not end the visit that this
    // browser started last.
    if (new URLSearchParams(query).get('state') !== pending.state) throw new ProblemError('provider-refused');
    if (!(await consumeNonce(db, `provider ${pending.state}`, until)))
      throw new ProblemError('sign-in-expired');
    if (provider !== pending.provider) throw new ProblemError('provider-refused');
    const { client, ...configured } = await signInProviders.require(provider);
    const { subject, readPerson } = await client.finish(query, pending);
    const account = { providerId: getAccountProviderId(configured), subject };
    const outcome = await (pending.memberId === null
      ? signInOrRegister({ readPerson, account, invitation: pending.invitation }, provider, visitor)
      : linkToViewer(account, pending.memberId, visitor));
    return { ...outcome, cookies: [...outcome.cookies, visitCookie.clear()], next: pending.next };
  }

  async function signInOrRegister(
    arrival: Arrival,
    provider: string,
    visitor: Visitor,
  ): Promise<Omit<ProviderSignInOutcome, 'next'>> {
    const { account, invitation } = arrival;
    const plain = { linked: false, email: null, registered: false, needsAnswers: false };
    const existing = await findMemberByProviderAccount(db, account);
    if (existing !== undefined)
      return { ...(await signingIn.afterFirstFactor(existing, visitor.headers)), ...plain };
    const person = await arrival.readPerson();
    const parsed = emailSchema.safeParse(person.email);
    if (!parsed.success) throw new ProblemError('provider-email-not-verified');
    const email = parsed.data;
    const { isVerified } = person;
    const owner = await findMemberByEmail(db, email);
    const confirmed = owner !== undefined && isVerified ? await confirmEmailOnly(owner.id, email) : null;
    if (confirmed !== null)
      return { ...(await signingIn.afterFirstFactor(confirmed, visitor.headers, { account })), ...plain };
    if (owner !== undefined)
      return { ...plain, memberId: null, cookies: [linkCookie.set({ provider, account, email })], email };
    if (joining.questions().length > 0) {
      if (!settings.isSignUpOpen) throw new ProblemError('registration-closed');
      await joining.check({ email, invitation });
      await refuseBlockedEmail(db, { secret: settings.secret, address: email });
      const names = person.names.map((name) => name.slice(0, 200)).slice(0, 5);
      const cookies = [signUpCookie.set({ provider, account, email, isVerified, names, invitation })];
      return { ...plain, memberId: null, cookies, needsAnswers: true };
    }
    const memberId = await register(
      { account, invitation, names: person.names, email, isVerified, signUpAnswers: [] },
      visitor,
    );
    return {
      ...plain,
      memberId,
      cookies: await beginFirstSession(memberId, visitor.headers),
      registered: true,
    };
  }

  /**
   * Confirms the address of a member without a sign-in method, which the provider has verified. Returns null if the
   * member has one, or no longer this address.
   */
  async function confirmEmailOnly(memberId: number, address: string): Promise<AuthenticatedMember | null> {
    return transaction(db, async (tx) => {
      const member = await lockMember(tx, memberId, { changesEmail: false });
      if (member?.email !== address || (await hasSignInMethod(tx, memberId))) return null;
      await updateEmail(tx, { memberId, address, isConfirmed: true });
      await noteConfirmedEmail(tx, memberId);
      return { memberId, accessState: await findAccessState(tx, memberId) };
    });
  }

  /** Creates the account of someone who was asked the questions of the community, and signs in. */
  async function registerWithAnswers(
    signUpAnswers: readonly SignUpAnswer[],
    visitor: Visitor,
  ): Promise<SignInOutcome> {
    const pending = signUpCookie.read(visitor.headers);
    if (pending === null) throw new ProblemError('sign-in-expired');
    await requireSame(pending);
    joining.checkAnswers(signUpAnswers);
    const memberId = await register({ ...pending, signUpAnswers }, visitor);
    return {
      memberId,
      cookies: [...(await beginFirstSession(memberId, visitor.headers)), signUpCookie.clear()],
    };
  }

  async function beginFirstSession(memberId: number, headers: Headers): Promise<string[]> {
    return signingIn.begin({ memberId, accessState: await findAccessState(db, memberId) }, headers);
  }

  async function register(
    arrival: NewMember & { signUpAnswers: readonly SignUpAnswer[] },
    visitor: Visitor,
  ): Promise<number> {
    if (!settings.isSignUpOpen) throw new ProblemError('registration-closed');
    await requirePoint(registrationLimit, { key: visitor.networkAddress, code: 'registration-failed' });
    const { email, isVerified, account, invitation, signUpAnswers } = arrival;
    await joining.check({ email, invitation });
    const emailTaken = new ProblemError('email-taken');
    // An address can be reserved for a member who can still revert a change.
    if (await isEmailTaken(db, { address: email })) throw emailTaken;
    await refuseBlockedEmail(db, { secret: settings.secret, address: email });
    try {
      const body = {
        name: await chooseDisplayName(arrival),
        email,
        emailVerified: isVerified,
        providerId: account.providerId,
        accountId: account.subject,
        language: findRequestLanguage(visitor.headers),
      };
      const { memberId } = await joining.admit({ invitation, signUpAnswers }, (application) =>
        auth.api.createMember({ body: { ...body, application } }),
      );
      await registrations.note({ memberId, address: visitor.networkAddress, isConfirmed: isVerified });
      // The member can request the email again in the settings.
      if (!isVerified) await deps.onUnconfirmed(memberId).catch(() => {});
      return memberId;
    } catch (error) {
      throw isUniqueViolation(error) ? emailTaken : error;
    }
  }

  /**
   * Returns the first name from the provider that is allowed here (docs/product.md 3.5), without forbidden characters.
   * Display names are public, so if the name is an email address, its local part is used.
   */
  async function chooseDisplayName({ names, email }: Pick<NewMember, 'names' | 'email'>): Promise<string> {
    for (const candidate of [...names, email]) {
      const [beforeAt = ''] = candidate.split('@');
      const name = displayName.safeParse(sanitizeName(beforeAt));
      if (name.success && !(await isImpersonation(db, name.data, null))) return name.data;
    }
    return 'Member';
  }

  async function linkToViewer(account: ProviderAccountKey, memberId: number, visitor: Visitor) {
    // The member who requested it must still be signed in in this browser.
    const session = await accounts.viewer(visitor.headers);
    if (session?.viewer.id !== memberId) throw new ProblemError('sign-in-expired');
    await transaction(db, async (tx) => {
      await requireSession(tx, session.viewer);
      await linkAccount(tx, { memberId, account });
    });
    const { cookies } = session;
    return { memberId, cookies, linked: true, email: null, registered: false, needsAnswers: false };
  }

  /** Signs in the member who has the address of the provider's account, by their password, and links the account. */
  async function link(password: string, visitor: Visitor): Promise<SignInOutcome> {
    const pending = linkCookie.read(visitor.headers);
    if (pending === null) throw new ProblemError('sign-in-expired');
    const { email, account } = pending;
    await requireSame(pending);
    const member = await accounts.checkPassword({ email, password }, visitor);
    const outcome = await signingIn.afterFirstFactor(member, visitor.headers, { account });
    return { ...outcome, cookies: [...outcome.cookies, linkCookie.clear()] };
  }

  /** The provider can be switched off between two requests, or have another issuer. */
  async function requireSame(pending: { provider: string; account: ProviderAccountKey }): Promise<void> {
    if (getAccountProviderId(await signInProviders.require(pending.provider)) !== pending.account.providerId)
      throw new ProblemError('sign-in-expired');
  }

  /** The accounts of a member at all providers. A provider that is off is listed only if an account is linked. */
  async function listOwnAccounts(memberId: number): Promise<OwnProviderAccount[]> {
    const linked = await listProviderAccounts(db, memberId);
    const items = (await signInProviders.list()).map((provider) => ({
      provider: { id: provider.id, name: provider.name },
      since: linked.get(getAccountProviderId(provider))?.toISOString() ?? null,
      isEnabled: isUsable(provider),
    }));
    return items.filter(({ since, isEnabled }) => isEnabled || since !== null);
  }

  async function unlink(
    viewer: Viewer,
    { provider: id, proof }: { provider: string; proof: Reauthentication },
  ): Promise<void> {
    await requirePassword(viewer, proof);
    const provider = (await signInProviders.list()).find((each) => each.id === id);
    if (provider === undefined) throw new ProblemError('provider-not-linked');
    const providerId = getAccountProviderId(provider);
    await unlinkAccount(db, { memberId: viewer.id, providerId, signInMethods });
  }
}

/** The unique constraints decide between two concurrent browsers. */
const isUniqueViolation = (error: unknown) => getSqlState(error) === '23505';
