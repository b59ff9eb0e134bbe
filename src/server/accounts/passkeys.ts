import { randomBytes } from 'node:crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, transaction } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { Settings } from '#server/platform/settings.ts';
import { limits } from '#shared/limits.ts';
import {
  type NewPasskey,
  type NewPasskeyAnswer,
  type Passkey,
  type PasskeyAnswer,
  passkeyMessages,
} from '#shared/passkeys.ts';
import { type Proof, secondFactorMessages } from '#shared/second-factor.ts';
import {
  countWaysIn,
  deletePasskey,
  insertPasskey,
  lockWaysIn,
  noteUse,
  passkeyByCredential,
  passkeysOf,
  renamePasskey,
} from './passkey-queries.ts';
import type { AskForPassword } from './own-password.ts';
import { ownMember } from './queries.ts';
import { type RelyingParty, relyingParty } from './relying-party.ts';
import { markUsed } from './second-factor-queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';
import type { SigningIn, SignInOutcome } from './signing-in.ts';
import { createStep } from './steps.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;

/** Options of WebAuthn as JSON, and the cookie that keeps their challenge. */
export type Asked = { options: { challenge: string }; cookie: string };

const minutes = 60;

/** EdDSA, ES256 and RS256: every authenticator has one of them. */
const algorithms = [-8, -7, -257];

/**
 * Passkeys (WebAuthn Level 3), by SimpleWebAuthn. Each asks for a finger, a face or a PIN (user verification), so that one
 * is two factors, and no code is asked for after it.
 */
export function createPasskeys(deps: {
  db: Database;
  settings: Settings;
  askForPassword: AskForPassword;
  signingIn: SigningIn;
}) {
  const { db, settings, askForPassword, signingIn } = deps;
  const asked = createStep(settings, {
    name: 'passkey',
    schema: z.object({ challenge: z.string() }),
    seconds: 60 * minutes,
  });
  const adding = createStep(settings, {
    name: 'passkey_new',
    schema: z.object({ challenge: z.string(), memberId: z.number(), userHandle: z.string() }),
    seconds: 15 * minutes,
  });
  return { list, askToSignIn, signIn, askToAdd, add, rename, remove };

  async function list(memberId: number): Promise<Passkey[]> {
    return (await passkeysOf(db, memberId)).map(toPasskey);
  }

  /** For anybody: which members have passkeys is not told, the browser offers those it has for this site. */
  async function askToSignIn(headers: Headers): Promise<Asked> {
    const { id } = relyingParty(settings, headers);
    const options = await generateAuthenticationOptions({
      rpID: id,
      userVerification: 'required',
      timeout: asked.seconds * 1_000,
    });
    return { options, cookie: asked.begin({ challenge: options.challenge }) };
  }

  /** @throws ProblemError 'passkey-refused', 'step-ended' */
  async function signIn(answer: PasskeyAnswer, headers: Headers): Promise<SignInOutcome> {
    const begun = asked.read(headers);
    if (begun === null) throw new ProblemError('step-ended', secondFactorMessages.ended);
    const kept = await passkeyByCredential(db, answer.id);
    const isTheirs =
      kept !== undefined && (answer.response.userHandle ?? kept.user_handle) === kept.user_handle;
    const site = relyingParty(settings, headers);
    const counter = isTheirs ? await counterOf(answer, { kept, challenge: begun.challenge, site }) : null;
    // A challenge counts once, also where its answer was overheard.
    const until = new Date(databaseTime() + asked.seconds * 1_000);
    if (kept === undefined || counter === null || !(await markUsed(db, `passkey ${begun.challenge}`, until)))
      throw new ProblemError('passkey-refused', passkeyMessages.refused);
    await noteUse(db, { id: kept.id, counter });
    const cookies = await signingIn.begin(kept.member_id, headers);
    return { memberId: kept.member_id, cookies: [...cookies, asked.end()] };
  }

  /** Asks for the password: who adds a passkey can sign in ever after. */
  async function askToAdd(viewer: Viewer, proof: Proof, headers: Headers): Promise<Asked> {
    await askForPassword(viewer, proof);
    const [member, kept] = await Promise.all([ownMember(db, viewer.id), passkeysOf(db, viewer.id)]);
    if (kept.length >= limits.passkeys) throw new ProblemError('not-allowed', passkeyMessages.tooMany);
    const userHandle = kept[0]?.user_handle ?? randomBytes(32).toString('base64url');
    const options = await generateRegistrationOptions({
      rpName: 'Parley',
      rpID: relyingParty(settings, headers).id,
      userID: Uint8Array.from(Buffer.from(userHandle, 'base64url')),
      userName: member?.email ?? '',
      userDisplayName: member?.display_name ?? '',
      attestationType: 'none',
      supportedAlgorithmIDs: algorithms,
      excludeCredentials: kept.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      timeout: adding.seconds * 1_000,
    });
    const { challenge } = options;
    return { options, cookie: adding.begin({ challenge, memberId: viewer.id, userHandle }) };
  }

  /** @throws ProblemError 'passkey-refused', 'step-ended' */
  async function add(viewer: Viewer, { name, credential }: NewPasskey, headers: Headers) {
    const begun = adding.read(headers);
    if (begun?.memberId !== viewer.id) throw new ProblemError('step-ended', secondFactorMessages.ended);
    const made = await madeBy(credential, begun.challenge, relyingParty(settings, headers));
    if (made === null) throw new ProblemError('passkey-refused', passkeyMessages.notAdded);
    const row = {
      memberId: viewer.id,
      name,
      userHandle: begun.userHandle,
      credentialId: made.id,
      publicKey: made.publicKey,
      counter: made.counter,
      transports: credential.response.transports ?? [],
    };
    return transaction(db, async (tx) => {
      await lockWaysIn(tx, viewer.id);
      if ((await passkeysOf(tx, viewer.id)).length >= limits.passkeys)
        throw new ProblemError('not-allowed', passkeyMessages.tooMany);
      const added = await insertPasskey(tx, row);
      if (added === undefined) throw new ProblemError('done-already', passkeyMessages.known);
      await tellOfSecurityEvent(tx, { memberId: viewer.id, event: 'passkey-added' });
      return { passkey: toPasskey(added), cookie: adding.end() };
    });
  }

  async function rename(viewer: Viewer, id: number, name: string): Promise<Passkey> {
    const renamed = await renamePasskey(db, { id, memberId: viewer.id, name });
    if (renamed === undefined) throw notThere();
    return toPasskey(renamed);
  }

  async function remove(viewer: Viewer, id: number, proof: Proof): Promise<void> {
    await askForPassword(viewer, proof);
    await transaction(db, async (tx) => {
      await lockWaysIn(tx, viewer.id);
      if (!(await deletePasskey(tx, { id, memberId: viewer.id }))) throw notThere();
      if ((await countWaysIn(tx, viewer.id)) === 0)
        throw new ProblemError('not-allowed', passkeyMessages.last);
      await tellOfSecurityEvent(tx, { memberId: viewer.id, event: 'passkey-removed' });
    });
  }
}

type Kept = NonNullable<Awaited<ReturnType<typeof passkeyByCredential>>>;

/** How often the passkey says it was used; null where the answer is not right. */
async function counterOf(
  answer: PasskeyAnswer,
  { kept, challenge, site }: { kept: Kept; challenge: string; site: RelyingParty },
): Promise<number | null> {
  const { clientDataJSON, authenticatorData, signature } = answer.response;
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
        publicKey: Uint8Array.from(kept.public_key),
        counter: kept.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // It throws for whatever does not fit: another challenge, address, signature or counter.
    return null;
  }
}

/** The key a passkey was made with; null where the answer is not right. */
async function madeBy(answer: NewPasskeyAnswer, challenge: string, site: RelyingParty) {
  const { clientDataJSON, attestationObject } = answer.response;
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

const notThere = () => new ProblemError('not-found', 'You have no such passkey.');
