import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { siteOf } from '#server/platform/network-address.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import { accountMessages } from '#shared/accounts.ts';
import { secondFactorMessages } from '#shared/second-factor.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** Where a try comes from: its network address, and its browser's name where the member has signed in there before. */
export type Source = { network: string; browser: string | null };

const quarterHour = 15 * 60;
const hour = 60 * 60;

/** docs/product.md 2.6: 5 failures in 15 minutes, then nothing for 15 minutes. */
const five = { points: 5, seconds: quarterHour, blockSeconds: quarterHour };

/**
 * Limits on wrong passwords. A stranger who guesses must not be able to lock a member out (docs/decisions/038), so failures
 * count for the email address and the network together, and in a browser that the member has used before they count for
 * that browser alone. All failures of an email address together only slow its tries down.
 */
export function createPasswordTries(db: Database) {
  const byBrowser = rateLimit(db, { name: 'login-browser', ...five });
  const byPlace = rateLimit(db, { name: 'login', ...five });
  const byNetwork = rateLimit(db, { name: 'login-net', ...five, points: 30 });
  const bySite = rateLimit(db, { name: 'login-site', ...five, points: 60 });
  const inAll = rateLimit(db, { name: 'login-all', points: 1_000_000, seconds: quarterHour });
  const inTurn = oneAtATime();
  return { attempt, forget };

  /**
   * Runs one try for an email address; undefined from `check` is a failure.
   * @throws ProblemError 'too-many'
   */
  async function attempt<Found>(
    email: string,
    source: Source,
    check: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const { network, browser } = source;
    // Before the turn, so that a try that has to wait holds up no other.
    if (browser === null) await delay(slowedBy(await inAll.taken(email)));
    // One at a time, so that many members of a network who sign in at once are not taken for many failures.
    return inTurn(browser === null ? `site ${siteOf(network)}` : `browser ${browser}`, async () => {
      // Counted before it is made: tries at the same moment, also on other nodes, cannot all pass.
      const giveBack = await take(email, source);
      const found = await check();
      await (found === undefined ? inAll.take(email) : giveBack());
      return found;
    });
  }

  /** Of a member whose password was set anew. */
  async function forget(email: string, network: string): Promise<void> {
    await Promise.all([byPlace.reset(placeOf(email, network)), inAll.reset(email)]);
  }

  /** Returns what a try that succeeds takes back. */
  async function take(email: string, { network, browser }: Source): Promise<() => Promise<unknown>> {
    const tooMany = new ProblemError('too-many', accountMessages.tooManyLogins, { retryAfter: quarterHour });
    if (browser !== null) {
      const key = `${browser} ${email}`;
      if (!(await byBrowser.take(key))) throw tooMany;
      return () => byBrowser.reset(key);
    }
    const [site, place] = [siteOf(network), placeOf(email, network)];
    if (!(await bySite.take(site))) throw tooMany;
    if (!(await byNetwork.take(network))) {
      await bySite.giveBack(site);
      throw tooMany;
    }
    const giveNetworksBack = () => Promise.all([bySite.giveBack(site), byNetwork.giveBack(network)]);
    if (await byPlace.take(place)) return () => Promise.all([byPlace.reset(place), giveNetworksBack()]);
    await giveNetworksBack();
    throw tooMany;
  }
}

/**
 * Limits on wrong codes of the second factor, by the same rule. Who gets to them has shown the password, and codes are
 * few (a million, three of them right), so that all failures outside of known browsers also have a limit together: 20 an
 * hour guess right once in two years (OWASP ASVS 5.0, 6.3.1 and 6.5.5). A known browser stays open to the member.
 */
export function createCodeTries(db: Database) {
  const byBrowser = rateLimit(db, { name: 'second-factor-browser', ...five });
  const byPlace = rateLimit(db, { name: 'second-factor', ...five });
  const inAll = rateLimit(db, { name: 'second-factor-all', points: 20, seconds: hour });
  return { attempt };

  /** Runs one try of a member; false from `check` is a failure. @throws ProblemError 'too-many' */
  async function attempt(memberId: number, source: Source, check: () => Promise<boolean>): Promise<boolean> {
    const { network, browser } = source;
    const place = placeOf(String(memberId), network);
    const limits =
      browser === null
        ? [
            { limit: byPlace, key: place, wait: quarterHour },
            { limit: inAll, key: String(memberId), wait: hour },
          ]
        : [{ limit: byBrowser, key: `${browser} ${memberId}`, wait: quarterHour }];
    for (const { limit, key, wait } of limits)
      if (!(await limit.take(key)))
        throw new ProblemError('too-many', secondFactorMessages.tooMany, { retryAfter: wait });
    if (!(await check())) return false;
    await Promise.all(limits.map(({ limit, key }) => limit.reset(key)));
    return true;
  }
}

const placeOf = (who: string, network: string) => `${who} ${siteOf(network)}`;

/**
 * Milliseconds that a try waits after so many failures for its email address in a quarter of an hour: a quarter of a second
 * from the tenth on, doubled by each further one, 4 seconds at most.
 */
export function slowedBy(failures: number): number {
  return failures < 10 ? 0 : Math.min(4_000, 250 * 2 ** (failures - 10));
}
