import { z } from 'zod';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, sqlState } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { Identity, IdentityProvider } from '#server/platform/identity-provider.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import type { Settings } from '#server/platform/settings.ts';
import { accountMessages, displayName, email as emailSchema } from '#shared/accounts.ts';
import { cleanName } from '#shared/names.ts';
import { type OwnProviderAccount, providerAccountMessages } from '#shared/providers.ts';
import { type Proof, secondFactorMessages } from '#shared/second-factor.ts';
import type { Accounts, Visitor } from './accounts.ts';
import type { Auth } from './auth.ts';
import { isAddressTaken } from './link-queries.ts';
import type { AskForPassword } from './own-password.ts';
import { isImitation } from './imitation.ts';
import { linkAccount, providerIdOf, unlinkAccount } from './provider-accounts.ts';
import { accountOf, memberByAccount } from './provider-queries.ts';
import { memberByEmail } from './queries.ts';
import { relyingParty } from './relying-party.ts';
import { markUsed } from './second-factor-queries.ts';
import type { Registrations } from './registrations.ts';
import type { SigningIn, SignInOutcome } from './signing-in.ts';
import { createStep } from './steps.ts';

export type Providers = ReturnType<typeof createProviders>;

/** How coming back from the provider ended. `email`: of the member whose password is asked for. */
export type ReturnOutcome = SignInOutcome & {
  linked: boolean;
  email: string | null;
  next: string | null;
  /** Whether the member was made just now. */
  registered: boolean;
};

const visit = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** The member who asked to link an account, in the settings; null: somebody signs in. */
  memberId: z.number().nullable(),
  next: z.string().nullable(),
});
type Begun = z.infer<typeof visit>;

export type ProvidersDeps = {
  db: Database;
  auth: Auth;
  settings: Settings;
  accounts: Accounts;
  signingIn: SigningIn;
  registrations: Registrations;
  askForPassword: AskForPassword;
  /** Absent where none is set up. */
  provider: IdentityProvider | undefined;
};

/**
 * Signing in at an OpenID Connect provider. An account there is known by its subject alone; an address, and only one that
 * the provider has verified, makes a new member. Where a member has that address already, they show by their password
 * that it is they: nobody gets an account for an address that somebody else says is theirs.
 */
export function createProviders(deps: ProvidersDeps) {
  const { db, auth, settings, accounts, signingIn, askForPassword, registrations } = deps;
  const away = createStep(settings, { name: 'provider', schema: visit, seconds: 15 * 60 });
  const linking = createStep(settings, {
    name: 'provider_link',
    schema: z.object({ subject: z.string(), email: z.string() }),
    seconds: 10 * 60,
  });
  // As for registrations (accounts.ts): against floods only.
  const flood = rateLimit(db, { name: 'register', points: 1000, seconds: 60 * 60 });
  return { begin, beginLinking, finish, link, own, unlink };

  /** Where to send a browser that signs in, and the cookie to set. */
  async function begin(headers: Headers, { next }: { next: string | null }) {
    return leave(headers, { memberId: null, next });
  }

  /** The same for a member who is signed in and links an account. */
  async function beginLinking(viewer: Viewer, proof: Proof, headers: Headers) {
    await askForPassword(viewer, proof);
    return leave(headers, { memberId: viewer.id, next: null });
  }

  async function leave(headers: Headers, why: Pick<Begun, 'memberId' | 'next'>) {
    const redirectUri = `${relyingParty(settings, headers).origin}/sign-in/callback`;
    const { url, visit: begun } = await theProvider().begin(redirectUri);
    return { url, cookie: away.begin({ ...begun, ...why }) };
  }

  /** Of a browser that the provider has sent back. @param query of the address it was sent to */
  async function finish(query: string, visitor: Visitor): Promise<ReturnOutcome> {
    const begun = away.read(visitor.headers);
    const until = new Date(databaseTime() + away.seconds * 1_000);
    if (begun === null || !(await markUsed(db, `provider ${begun.state}`, until)))
      throw new ProblemError('step-ended', secondFactorMessages.ended);
    const identity = await theProvider().finish(query, begun);
    const outcome = await (begun.memberId === null
      ? enter(identity, visitor)
      : linkHere(identity, begun.memberId, visitor));
    return { ...outcome, cookies: [...outcome.cookies, away.end()], next: begun.next };
  }

  async function enter(identity: Identity, visitor: Visitor): Promise<Omit<ReturnOutcome, 'next'>> {
    const { subject, email: given } = identity;
    const plain = { linked: false, email: null, registered: false };
    const known = await memberByAccount(db, { providerId: providerIdOf(settings), subject });
    if (known !== undefined)
      return { ...(await signingIn.afterFirstFactor(known.memberId, visitor.headers)), ...plain };
    const parsed = emailSchema.safeParse(given);
    if (!parsed.success) throw new ProblemError('provider-refused', providerAccountMessages.noAddress);
    const email = parsed.data;
    if ((await memberByEmail(db, email)) !== undefined)
      return { ...plain, memberId: null, cookies: [linking.begin({ subject, email })], email };
    const memberId = await register({ ...identity, email }, visitor);
    return {
      ...plain,
      memberId,
      cookies: await signingIn.begin(memberId, visitor.headers),
      registered: true,
    };
  }

  async function register(identity: Identity & { email: string }, visitor: Visitor): Promise<number> {
    if (!settings.signUp) throw new ProblemError('disabled', providerAccountMessages.closed);
    if (!(await flood.take(visitor.address)))
      throw new ProblemError('too-many', accountMessages.registerFailed, { retryAfter: 60 * 60 });
    const { email, subject } = identity;
    const taken = new ProblemError('email-taken', accountMessages.emailTaken);
    // An address may be kept for who can take it back still.
    if (await isAddressTaken(db, { address: email })) throw taken;
    try {
      const body = {
        name: await nameOf(identity),
        email,
        providerId: providerIdOf(settings),
        accountId: subject,
      };
      const { memberId } = await auth.api.createMember({ body });
      await registrations.note({ memberId, address: visitor.address, isConfirmed: true });
      return memberId;
    } catch (error) {
      throw isTwice(error) ? taken : error;
    }
  }

  /**
   * The first name of those the provider gives that may be one here (docs/product.md 3.5), without characters that may not.
   * A name that is an email address is shown to everybody, so that what stands before the @ has to do.
   */
  async function nameOf({ names, email }: Identity & { email: string }): Promise<string> {
    for (const candidate of [...names, email]) {
      const [beforeAt = ''] = candidate.split('@');
      const name = displayName.safeParse(cleanName(beforeAt));
      if (name.success && !(await isImitation(db, name.data, null))) return name.data;
    }
    return 'Member';
  }

  async function linkHere(identity: Identity, memberId: number, visitor: Visitor) {
    // Who asked for it must still be signed in here.
    const session = await accounts.viewer(visitor.headers);
    if (session?.viewer.id !== memberId) throw new ProblemError('step-ended', secondFactorMessages.ended);
    await linkAccount(db, { memberId, subject: identity.subject, settings });
    return { memberId, cookies: session.cookies, linked: true, email: null, registered: false };
  }

  /** Signs in the member whose address the account at the provider has, by their password, and links the two. */
  async function link(password: string, visitor: Visitor): Promise<SignInOutcome> {
    const begun = linking.read(visitor.headers);
    if (begun === null) throw new ProblemError('step-ended', secondFactorMessages.ended);
    const { email, subject } = begun;
    const memberId = await accounts.checkPassword({ email, password }, visitor);
    const outcome = await signingIn.afterFirstFactor(memberId, visitor.headers, { subject });
    return { ...outcome, cookies: [...outcome.cookies, linking.end()] };
  }

  async function own(memberId: number): Promise<OwnProviderAccount> {
    const name = settings.identityProvider?.name ?? null;
    if (name === null) return { provider: null, since: null };
    const linked = await accountOf(db, { providerId: providerIdOf(settings), memberId });
    return { provider: name, since: linked?.created_at.toISOString() ?? null };
  }

  async function unlink(viewer: Viewer, proof: Proof): Promise<void> {
    await askForPassword(viewer, proof);
    await unlinkAccount(db, { memberId: viewer.id, settings });
  }

  function theProvider(): IdentityProvider {
    if (deps.provider !== undefined) return deps.provider;
    throw new ProblemError('disabled', providerAccountMessages.off);
  }
}

/** Two browsers at once: the unique constraints decide. */
const isTwice = (error: unknown) => sqlState(error) === '23505';
