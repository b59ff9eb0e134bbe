import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Binds a ciphertext to a purpose. It cannot be decrypted for another purpose. */
export type EncryptionContext = { secret: string; purpose: string };

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts and authenticates a text with AES-256-GCM. The key is derived from the secret of this installation (HKDF).
 */
export function encrypt(context: EncryptionContext, text: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, deriveKey(context), iv);
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url');
}

/** Decrypts a text that was encrypted for this purpose with this secret. Returns null for anything else. */
export function decrypt(context: EncryptionContext, encrypted: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length < ivBytes + tagBytes) return null;
  const opening = createDecipheriv(algorithm, deriveKey(context), bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}

/**
 * Returns a keyed hash of a text (HMAC-SHA256): the same for the same text, and without the secret of this installation
 * no one can find out a text by hashing guesses.
 */
export function computeKeyedHash(context: EncryptionContext, text: string): Buffer {
  return createHmac('sha256', deriveKey(context)).update(text).digest();
}

function deriveKey({ secret, purpose }: EncryptionContext): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `parley encryption ${purpose}`, 32));
}
