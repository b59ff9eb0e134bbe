import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type {
  PasskeyRegistrationResponse,
  Passkey,
  PasskeyAuthenticationResponse,
} from '#shared/identity/passkeys.ts';
import { type ApiClient, expectOk, type Member, password } from './member.ts';

/** Deviations of a browser and its authenticator from the given options. */
export type AuthenticatorFaults = {
  origin?: string;
  site?: string;
  challenge?: string;
  unverified?: boolean;
  counter?: number;
};

/** A software passkey: P-256, without attestation. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  userHandle = '';
  counter = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  /** Simulates `navigator.credentials.create` on an origin. */
  create(
    options: PasskeyOptions,
    origin: string,
    faults: AuthenticatorFaults = {},
  ): PasskeyRegistrationResponse {
    this.userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
      [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([id.length >> 8, id.length & 255]),
      id,
      isoCBOR.encode(key),
    ]);
    const authData = Buffer.concat([this.#authenticatorData(options.rp?.id, 0x40, faults), attested]);
    const attestation = new Map<string, string | Map<string, string> | Uint8Array>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', Uint8Array.from(authData)],
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData('webauthn.create', options, origin, faults).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Simulates `navigator.credentials.get` on an origin. */
  get(
    options: PasskeyOptions,
    origin: string,
    faults: AuthenticatorFaults = {},
  ): PasskeyAuthenticationResponse {
    const data = clientData('webauthn.get', options, origin, faults);
    this.counter = faults.counter ?? this.counter + 1;
    const authenticatorData = this.#authenticatorData(options.rpId, 0, faults);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(data).digest()]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
        userHandle: this.userHandle,
      },
    };
  }

  /** WebAuthn Level 3, section 6.1. */
  #authenticatorData(site = '', moreFlags: number, { site: other, unverified }: AuthenticatorFaults): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const flags = moreFlags | (unverified === true ? 0x01 : 0x05);
    const hash = createHash('sha256')
      .update(other ?? site)
      .digest();
    return Buffer.concat([hash, Buffer.from([flags]), count]);
  }
}

/** The options that an authenticator reads. */
export type PasskeyOptions = { challenge: string; rpId?: string; rp?: { id: string }; user?: { id: string } };

function clientData(
  type: string,
  { challenge }: PasskeyOptions,
  origin: string,
  faults: AuthenticatorFaults,
): Buffer {
  return Buffer.from(
    JSON.stringify({
      type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? origin,
      crossOrigin: false,
    }),
  );
}

/** Gives a member a passkey. */
export async function addPasskey(member: Member, name = 'Phone') {
  const authenticator = new SoftwareAuthenticator();
  const options = expectOk(await member.post<PasskeyOptions>('/passkeys/options', { password }));
  const credential = authenticator.create(options, member.address);
  const { id } = expectOk(await member.post<Passkey>('/passkeys', { name, credential }));
  return { authenticator, id };
}

/** The body that a browser sends to sign in with a passkey. */
export async function createPasskeySignIn(
  browser: ApiClient,
  authenticator: SoftwareAuthenticator,
  faults?: AuthenticatorFaults,
) {
  const options = expectOk(await browser.post<PasskeyOptions>('/session/passkey/options', undefined));
  return { credential: authenticator.get(options, browser.address, faults) };
}
