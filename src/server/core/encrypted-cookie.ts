import { parse, serialize } from 'hono/utils/cookie';
import type { z } from 'zod';
import { databaseNowMs } from './database-clock.ts';
import { encrypt, decrypt } from './encryption.ts';
import { getCookiePrefix, isHttps, type SiteSettings } from './site-settings.ts';

/** A step of a sign-in that the next request goes on from. */
export type EncryptedCookie<Value> = {
  /** The cookie that keeps it. */
  set: (value: Value) => string;
  /** What was begun in this browser and has not run out; null otherwise. */
  read: (headers: Headers) => Value | null;
  /** The cookie that forgets it. */
  clear: () => string;
  /** How long it lasts, in seconds. */
  maxAgeSeconds: number;
};

/**
 * Keeps what lies between two requests of one sign-in in the browser that makes them, sealed: another browser cannot go
 * on from it, every node can, and nothing is stored for those who never come back. What may count once only is told from
 * that by whoever reads it (`markUsed`).
 */
export function createEncryptedCookie<Value extends object>(
  settings: Pick<SiteSettings, 'secret' | 'publicUrl'>,
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
      const given = parse(headers.get('cookie') ?? '', cookie)[cookie];
      const text = given === undefined ? null : decrypt(encryption, given);
      if (text === null) return null;
      const payload = JSON.parse(text) as { value: unknown; until: number };
      return payload.until > databaseNowMs() ? (schema.safeParse(payload.value).data ?? null) : null;
    },
    clear: () => serialize(cookie, '', { ...options, maxAge: 0 }),
  };
}
