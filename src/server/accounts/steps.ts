import { parse, serialize } from 'hono/utils/cookie';
import type { z } from 'zod';
import { databaseTime } from '#server/platform/clock.ts';
import { seal, unseal } from '#server/platform/sealed.ts';
import { cookiePrefix, isHttps, type Settings } from '#server/platform/settings.ts';

/** A step of a sign-in that the next request goes on from. */
export type Step<Value> = {
  /** The cookie that keeps it. */
  begin: (value: Value) => string;
  /** What was begun in this browser and has not run out; null otherwise. */
  read: (headers: Headers) => Value | null;
  /** The cookie that forgets it. */
  end: () => string;
  /** How long it lasts, in seconds. */
  seconds: number;
};

/**
 * Keeps what lies between two requests of one sign-in in the browser that makes them, sealed: another browser cannot go
 * on from it, every node can, and nothing is stored for those who never come back. What may count once only is told from
 * that by whoever reads it (`markUsed`).
 */
export function createStep<Value extends object>(
  settings: Pick<Settings, 'secret' | 'publicUrl'>,
  { name, schema, seconds }: { name: string; schema: z.ZodType<Value>; seconds: number },
): Step<Value> {
  const secure = isHttps(settings);
  const cookie = `${cookiePrefix(settings)}.${name}`;
  const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
  const sealing = { secret: settings.secret, purpose: `step ${name}` };
  return {
    seconds,
    begin(value) {
      const kept = { value, until: databaseTime() + seconds * 1_000 };
      return serialize(cookie, seal(sealing, JSON.stringify(kept)), { ...options, maxAge: seconds });
    },
    read(headers) {
      const given = parse(headers.get('cookie') ?? '', cookie)[cookie];
      const text = given === undefined ? null : unseal(sealing, given);
      if (text === null) return null;
      const kept = JSON.parse(text) as { value: unknown; until: number };
      return kept.until > databaseTime() ? (schema.safeParse(kept.value).data ?? null) : null;
    },
    end: () => serialize(cookie, '', { ...options, maxAge: 0 }),
  };
}
