import { Secret, TOTP } from 'otpauth';
import { databaseNowMs } from '#server/platform/clock.ts';

/** RFC 6238 as every authenticator app has it: SHA-1, six digits, 30 seconds. */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** A new key in base32, of 20 bytes as RFC 4226 section 4 has it, and the address that a QR code shows. */
export function createTotpKey({ site, email }: { site: string; email: string }): {
  key: string;
  uri: string;
} {
  const secret = new Secret({ size: 20 });
  return {
    key: secret.base32,
    uri: new TOTP({ ...totpParameters, secret, issuer: site, label: email }).toString(),
  };
}

/**
 * The period of 30 seconds that a code belongs to: this one, the one before (a slow hand) or the next (a clock that is
 * ahead); null for a code of none of them.
 */
export function findTotpPeriod(key: string, code: string, at = databaseNowMs()): number | null {
  const totp = new TOTP({ ...totpParameters, secret: Secret.fromBase32(key) });
  const offset = totp.validate({ token: code, timestamp: at, window: 1 });
  return offset === null ? null : totp.counter({ timestamp: at }) + offset;
}
