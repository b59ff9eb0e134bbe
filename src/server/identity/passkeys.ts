import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { serverLimits } from '#shared/core/limits.ts';
import {
  type NewPasskey,
  type Passkey,
  type PasskeyAuthenticationResponse,
  type PasskeyRegistrationResponse,
} from '#shared/identity/passkeys.ts';
import { type Reauthentication } from '#shared/identity/two-factor.ts';
import {
  deletePasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  lockSignInMethods,
  recordPasskeyUse,
  renamePasskey,
} from './passkeys-queries.ts';
import { requireSession, type RequirePassword } from './reauthentication.ts';
import { findOwnMember } from './accounts-queries.ts';
import { consumeNonce } from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';
import type { SignInMethods } from './sign-in-methods.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;

/** WebAuthn options as JSON, and the cookie with their challenge. */
export type PasskeyChallenge = { options: { challenge: string }; cookie: string };

/** A tenth of the modules of a server, loaded with the first passkey. */
const loadWebAuthn = () => import('@simplewebauthn/server');

const minutes = 60;

/** Tabs of the sign-in page in one browser that can use a passkey. */
const maxChallenges = 5;

/** EdDSA, ES256 and RS256: every authenticator supports at least one of them. */
const algorithms = [-8, -7, -257];

/**
 * Passkeys (WebAuthn Level 3), by SimpleWebAuthn. Each requires user verification (fingerprint, face or PIN), so one
 * passkey is two factors, and no code is required after it.
 */
export function createPasskeys(deps: {
  db: Database;
  settings: OperatorSettings;
  siteSettings: SiteSettings;
  requirePassword: RequirePassword;
  signingIn: SignIn;
  signInMethods: SignInMethods;
}) {
  const { db, settings, siteSettings, requirePassword, signingIn, signInMethods } = deps;
  const signInCookie = createEncryptedCookie(settings, {
    name: 'passkey',
    schema: z.object({ challenges: z.array(z.object({ challenge: z.string(), until: z.number() })) }),
    maxAgeSeconds: 60 * minutes,
  });
  const registrationCookie = createEncryptedCookie(settings, {
    name: 'passkey_new',
    schema: z.object({ challenge: z.string(), memberId: z.number(), userHandle: z.string() }),
    maxAgeSeconds: 15 * minutes,
  });
  return {
    list,
    askToSignIn: createSignInOptions,
    signIn,
    askToAdd: createRegistrationOptions,
    add,
    rename,
    remove,
  };

  async function list(memberId: number): Promise<Passkey[]> {
    return (await listPasskeys(db, memberId)).map(toPasskey);
  }

  /**
   * For visitors. The options do not reveal which members have passkeys: the browser offers those it has for this site.
   */
  async function createSignInOptions(headers: Headers): Promise<PasskeyChallenge> {
    const { id } = getRelyingParty(settings, headers);
    const { generateAuthenticationOptions } = await loadWebAuthn();
    const options = await generateAuthenticationOptions({
      rpID: id,
      userVerification: 'required',
      timeout: signInCookie.maxAgeSeconds * 1_000,
    });
    const { challenge } = options;
    const until = databaseNowMs() + signInCookie.maxAgeSeconds * 1_000;
    // Each tab of the sign-in page has a challenge of its own.
    const challenges = [{ challenge, until }, ...readChallenges(headers)].slice(0, maxChallenges);
    return { options, cookie: signInCookie.set({ challenges }) };
  }

  /** The cookie lives as long as its newest challenge. */
  function readChallenges(headers: Headers) {
    const { challenges = [] } = signInCookie.read(headers) ?? {};
    return challenges.filter(({ until }) => until > databaseNowMs());
  }

  /** @throws ProblemError 'passkey-refused', 'sign-in-expired' */
  async function signIn(answer: PasskeyAuthenticationResponse, headers: Headers): Promise<SignInOutcome> {
    const answered = readChallenge(answer);
    const challenges = readChallenges(headers);
    if (challenges.length === 0) throw new ProblemError('sign-in-expired');
    const pending = challenges.find(({ challenge }) => challenge === answered);
    const stored = await findPasskeyByCredential(db, answer.id);
    const isTheirs =
      stored !== undefined && (answer.response.userHandle ?? stored.user_handle) === stored.user_handle;
    const site = getRelyingParty(settings, headers);
    const counter =
      isTheirs && pending !== undefined
        ? await verifyCredential(answer, { stored, challenge: pending.challenge, site })
        : null;
    // A challenge can be used once, so an intercepted response is useless.
    if (
      stored === undefined ||
      pending === undefined ||
      counter === null ||
      !(await consumeNonce(db, `passkey ${pending.challenge}`, new Date(pending.until)))
    )
      throw new ProblemError('passkey-refused');
    await recordPasskeyUse(db, { id: stored.id, counter });
    const member = { memberId: stored.member_id, accessState: stored.accessState };
    const cookies = await signingIn.begin(member, headers);
    return { memberId: stored.member_id, cookies: [...cookies, signInCookie.clear()] };
  }

  /** Requires the password, because a passkey gives lasting access. */
  async function createRegistrationOptions(
    viewer: Viewer,
    proof: Reauthentication,
    headers: Headers,
  ): Promise<PasskeyChallenge> {
    await requirePassword(viewer, proof);
    const [member, existing] = await Promise.all([findOwnMember(db, viewer.id), listPasskeys(db, viewer.id)]);
    if (existing.length >= serverLimits.passkeys)
      throw new ProblemError('too-many-passkeys', { params: { max: serverLimits.passkeys } });
    const userHandle = existing[0]?.user_handle ?? randomBytes(32).toString('base64url');
    const { generateRegistrationOptions } = await loadWebAuthn();
    const options = await generateRegistrationOptions({
      rpName: siteSettings.get('siteName'),
      rpID: getRelyingParty(settings, headers).id,
      userID: Uint8Array.from(Buffer.from(userHandle, 'base64url')),
      userName: member?.email ?? '',
      userDisplayName: member?.display_name ?? '',
      attestationType: 'none',
      supportedAlgorithmIDs: algorithms,
      excludeCredentials: existing.map(({ credential_id, transports }) => ({
        id: credential_id,
        transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      timeout: registrationCookie.maxAgeSeconds * 1_000,
    });
    const { challenge } = options;
    return { options, cookie: registrationCookie.set({ challenge, memberId: viewer.id, userHandle }) };
  }

  /** @throws ProblemError 'passkey-refused', 'sign-in-expired' */
  async function add(viewer: Viewer, { name, credential }: NewPasskey, headers: Headers) {
    const pending = registrationCookie.read(headers);
    if (pending?.memberId !== viewer.id) throw new ProblemError('sign-in-expired');
    const verified = await verifyNewCredential(
      credential,
      pending.challenge,
      getRelyingParty(settings, headers),
    );
    if (verified === null) throw new ProblemError('passkey-not-added');
    const row = {
      memberId: viewer.id,
      name,
      userHandle: pending.userHandle,
      credentialId: verified.id,
      publicKey: verified.publicKey,
      counter: verified.counter,
      // A text with other characters is not a transport, and cannot always be stored.
      transports: (credential.response.transports ?? []).filter((name) => /^[a-z-]+$/u.test(name)),
    };
    return transaction(db, async (tx) => {
      await requireSession(tx, viewer);
      if ((await listPasskeys(tx, viewer.id)).length >= serverLimits.passkeys)
        throw new ProblemError('too-many-passkeys', { params: { max: serverLimits.passkeys } });
      const added = await insertPasskey(tx, row);
      if (added === undefined) throw new ProblemError('passkey-already-added');
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'passkey-added' });
      return { passkey: toPasskey(added), cookie: registrationCookie.clear() };
    });
  }

  async function rename(viewer: Viewer, id: number, name: string): Promise<Passkey> {
    const renamed = await renamePasskey(db, { id, memberId: viewer.id, name });
    if (renamed === undefined) throw createPasskeyNotFound();
    return toPasskey(renamed);
  }

  async function remove(viewer: Viewer, id: number, proof: Reauthentication): Promise<void> {
    await requirePassword(viewer, proof);
    await transaction(db, async (tx) => {
      await lockSignInMethods(tx, viewer.id);
      if (!(await deletePasskey(tx, { id, memberId: viewer.id }))) throw createPasskeyNotFound();
      await signInMethods.requireOne(tx, viewer.id, 'last-passkey');
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'passkey-removed' });
    });
  }
}

type StoredPasskey = NonNullable<Awaited<ReturnType<typeof findPasskeyByCredential>>>;

/** Returns the challenge that the browser has signed. Undefined if there is none. */
function readChallenge({ response }: PasskeyAuthenticationResponse): unknown {
  try {
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    return z.object({ challenge: z.string() }).safeParse(data).data?.challenge;
  } catch {
    return undefined;
  }
}

/** Returns the passkey's use counter; null if the response is invalid. */
async function verifyCredential(
  answer: PasskeyAuthenticationResponse,
  { stored, challenge, site }: { stored: StoredPasskey; challenge: string; site: RelyingParty },
): Promise<number | null> {
  const { clientDataJSON, authenticatorData, signature } = answer.response;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: answer.id,
        rawId: answer.rawId,
        type: answer.type,
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      credential: {
        id: answer.id,
        publicKey: Uint8Array.from(stored.public_key),
        counter: stored.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // SimpleWebAuthn throws for a wrong challenge, address, signature or counter.
    return null;
  }
}

/** Returns the public key of a new passkey; null if the response is invalid. */
async function verifyNewCredential(
  answer: PasskeyRegistrationResponse,
  challenge: string,
  site: RelyingParty,
) {
  const { clientDataJSON, attestationObject } = answer.response;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: answer.id,
        rawId: answer.rawId,
        type: answer.type,
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    return verified ? registrationInfo.credential : null;
  } catch {
    return null;
  }
}

const toPasskey = (row: {
  id: number;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}): Passkey => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

const createPasskeyNotFound = () => new ProblemError('passkey-not-found');

/**
 * The relying party: the site's host name, and the only origin that may use the passkey (WebAuthn Level 3, section 4).
 */
export type RelyingParty = { id: string; origin: string };

/**
 * Returns PUBLIC_URL if it is set, otherwise the address of the request, whose Origin was compared with its Host
 * (same-origin.ts). A passkey made for another site's origin is refused.
 */
export function getRelyingParty(
  { publicUrl }: Pick<OperatorSettings, 'publicUrl'>,
  headers: Headers,
): RelyingParty {
  const claimed = headers.get('origin') ?? `http://${headers.get('host') ?? 'localhost'}`;
  const url = URL.parse(publicUrl ?? claimed) ?? new URL('http://localhost');
  return { id: url.hostname, origin: url.origin };
}
