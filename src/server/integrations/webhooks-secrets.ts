import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { decrypt, encrypt } from '#server/core/encryption.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';

type SecretSettings = Pick<OperatorSettings, 'secret'>;

/** Secrets of all web hooks have one purpose, because the id of a new one is not known before it is stored. */
const purpose = 'webhook-secret';

/** Bytes of a secret; the scheme allows 24 to 64. */
const secretBytes = 32;

/** Creates a secret in the form of the scheme: whsec_ and base64. */
export const createWebhookSecret = () => `whsec_${randomBytes(secretBytes).toString('base64')}`;

export const encryptWebhookSecret = ({ secret }: SecretSettings, text: string) =>
  encrypt({ secret, purpose }, text);

/** Null after a change of SECRET. */
export const decryptWebhookSecret = ({ secret }: SecretSettings, encrypted: string) =>
  decrypt({ secret, purpose }, encrypted);

/**
 * The headers of a request by the scheme of Standard Webhooks. Several secrets, while one is replaced, give several
 * signatures, separated by spaces.
 */
export function signWebhook(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
