import { parse, serialize } from 'hono/utils/cookie';
import type { z } from 'zod';
import { databaseNowMs } from './database-clock.ts';
import { encrypt, decrypt } from './encryption.ts';
import { getCookiePrefix, isHttps, type OperatorSettings } from './operator-settings.ts';

/** The state of a sign-in that continues in the next request. */
export type EncryptedCookie<Value> = {
  /** Returns the cookie that stores the value. */
  set: (value: Value) => string;
  /** Returns the stored value. Null if there is none or it has expired. */
  read: (headers: Headers) => Value | null;
  /** Returns the cookie that deletes the value. */
  clear: () => string;
  /** The lifetime in seconds. */
  maxAgeSeconds: number;
};

/**
 * Stores the state between two requests of one sign-in in an encrypted cookie. Another browser cannot continue the
 * sign-in, every node can, and the server stores nothing for abandoned ones. Callers that must accept a value only once
 * check that themselves (`consumeNonce`).
 */
export function createEncryptedCookie<Value extends object>(
  settings: Pick<OperatorSettings, 'secret' | 'publicUrl'>,
  { name, schema, maxAgeSeconds }: { name: string; schema: z.ZodType<Value>; maxAgeSeconds: number },
): EncryptedCookie<Value> {
  const secure = isHttps(settings);
  const cookie = `${getCookiePrefix(settings)}.${name}`;
  const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
  const encryption = { secret: settings.secret, purpose: `step ${name}` };
  return {
    maxAgeSeconds,
    set(value) {
      const payload = { value, until: databaseNowMs() + maxAgeSeconds * 1_000 };
      return serialize(cookie, encrypt(encryption, JSON.stringify(payload)), {
        ...options,
        maxAge: maxAgeSeconds,
      });
    },
    read(headers) {
      const cookieValue = parse(headers.get('cookie') ?? '', cookie)[cookie];
      const text = cookieValue === undefined ? null : decrypt(encryption, cookieValue);
      if (text === null) return null;
      const payload = JSON.parse(text) as { value: unknown; until: number };
      return payload.until > databaseNowMs() ? (schema.safeParse(payload.value).data ?? null) : null;
    },
    clear: () => serialize(cookie, '', { ...options, maxAge: 0 }),
  };
}
