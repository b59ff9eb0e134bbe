import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Database } from '#server/core/database.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { findPasswordChangedAt } from './two-factor-queries.ts';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';

const day = 24 * 60 * 60;

/** Members that one browser remembers, such as a family's. The cookie stays below 1 kB. */
const maxMembersPerBrowser = 5;

const schema = z.object({
  browser: z.string(),
  /** `at` is in milliseconds since 1970. */
  members: z.array(z.object({ id: z.number(), at: z.number() })),
});

/**
 * Browsers in which a member has signed in before. Their failed attempts are counted separately (sign-in-limits.ts), so
 * that a stranger who guesses cannot lock the member out ("device cookies", OWASP). The cookie is encrypted with the
 * community's secret and does not sign in. 400 days is the maximum lifetime of a cookie in browsers.
 */
export function createKnownBrowsers(db: Database, settings: Pick<OperatorSettings, 'secret' | 'publicUrl'>) {
  const cookie = createEncryptedCookie(settings, { name: 'known_browser', schema, maxAgeSeconds: 400 * day });
  return { browserOf: findBrowser, remember: createCookie };

  /** Returns the id of a browser in which the member has signed in since the password was set; null for any other. */
  async function findBrowser(headers: Headers, memberId: number): Promise<string | null> {
    const payload = cookie.read(headers);
    const member = payload?.members.find(({ id }) => id === memberId);
    if (payload === null || member === undefined) return null;
    // Someone who had access to the account before must not keep the separate counts of many browsers.
    const setAt = await findPasswordChangedAt(db, memberId);
    return setAt !== undefined && setAt.getTime() > member.at ? null : payload.browser;
  }

  /** Returns the cookie for a browser in which the member has just signed in. */
  function createCookie(headers: Headers, memberId: number): string {
    const { browser, members } = cookie.read(headers) ?? { browser: randomUUID(), members: [] };
    const others = members.filter(({ id }) => id !== memberId).slice(0, maxMembersPerBrowser - 1);
    return cookie.set({ browser, members: [{ id: memberId, at: databaseNowMs() }, ...others] });
  }
}
