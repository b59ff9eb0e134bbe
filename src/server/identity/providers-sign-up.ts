import { z } from 'zod';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';

/** Someone who returned from a provider, and answers the questions of the community before the account is created. */
const pendingSignUp = z.object({
  /** The id of the provider. */
  provider: z.string(),
  account: z.object({ providerId: z.string(), subject: z.string() }),
  email: z.string(),
  /** Whether the provider has verified the address. */
  isVerified: z.boolean(),
  names: z.array(z.string()),
  invitation: z.string().nullable(),
});

/** An hour, because answers take time to write. */
export const createSignUpCookie = (settings: Pick<OperatorSettings, 'secret' | 'publicUrl'>) =>
  createEncryptedCookie(settings, {
    name: 'provider_sign_up',
    schema: pendingSignUp,
    maxAgeSeconds: 60 * 60,
  });
