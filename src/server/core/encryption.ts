import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** What a sealed text is for; one for another purpose does not open. */
export type EncryptionContext = { secret: string; purpose: string };

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** A text that only this community can read, and nobody can change: AES-256-GCM under a key made from its secret (HKDF). */
export function encrypt(context: EncryptionContext, text: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, deriveKey(context), iv);
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url');
}

/** The text that was sealed for this purpose with this secret; null for everything else. */
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

function deriveKey({ secret, purpose }: EncryptionContext): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `parley sealed ${purpose}`, 32));
}
