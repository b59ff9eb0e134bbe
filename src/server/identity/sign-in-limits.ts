import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { toCustomerNetwork } from '#server/core/network-address.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import { accountMessages } from '#shared/identity/accounts.ts';
import { twoFactorMessages } from '#shared/identity/two-factor.ts';

/** Where a try comes from: its network address, and its browser's name where the member has signed in there before. */
export type AttemptSource = { network: string; browser: string | null };

const quarterHour = 15 * 60;
const hour = 60 * 60;

/** docs/product.md 2.6: 5 failures in 15 minutes, then nothing for 15 minutes. */
const fiveFailures = { points: 5, seconds: quarterHour, blockSeconds: quarterHour };

/**
 * Limits on wrong passwords. A stranger who guesses must not be able to lock a member out (docs/decisions/038), so failures
 * count for the email address and the network together, and in a browser that the member has used before they count for
 * that browser alone. All failures of an email address together only slow its tries down.
 */
export function createPasswordAttemptLimit(db: Database) {
  const byBrowser = createRateLimit(db, { name: 'login-browser', ...fiveFailures });
  const byEmailAndSite = createRateLimit(db, { name: 'login', ...fiveFailures });
  const byNetwork = createRateLimit(db, { name: 'login-net', ...fiveFailures, points: 30 });
  const bySite = createRateLimit(db, { name: 'login-site', ...fiveFailures, points: 60 });
  const byEmail = createRateLimit(db, { name: 'login-all', points: 1_000_000, seconds: quarterHour });
  const inTurn = createKeyedQueue();
  return { attempt, forget: resetAttempts };

  /**
   * Runs one try for an email address; undefined from `check` is a failure.
   * @throws ProblemError 'too-many'
   */
  async function attempt<Found>(
    email: string,
    source: AttemptSource,
    check: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const { network, browser } = source;
    // Before the turn, so that a try that has to wait holds up no other.
    if (browser === null) await delay(getAttemptDelayMs(await byEmail.consumed(email)));
    // One at a time, so that many members of a network who sign in at once are not taken for many failures.
    return inTurn(
      browser === null ? `site ${toCustomerNetwork(network)}` : `browser ${browser}`,
      async () => {
        // Counted before it is made: tries at the same moment, also on other nodes, cannot all pass.
        const giveBack = await take(email, source);
        const found = await check();
        await (found === undefined ? byEmail.consume(email) : giveBack());
        return found;
      },
    );
  }

  /** Of a member whose password was set anew. */
  async function resetAttempts(email: string, network: string): Promise<void> {
    await Promise.all([byEmailAndSite.reset(createSiteKey(email, network)), byEmail.reset(email)]);
  }

  /** Returns what a try that succeeds takes back. */
  async function take(email: string, { network, browser }: AttemptSource): Promise<() => Promise<unknown>> {
    const tooMany = new ProblemError('too-many', accountMessages.tooManyLogins, { retryAfter: quarterHour });
    if (browser !== null) {
      const key = `${browser} ${email}`;
      if (!(await byBrowser.consume(key))) throw tooMany;
      return () => byBrowser.reset(key);
    }
    const [site, siteKey] = [toCustomerNetwork(network), createSiteKey(email, network)];
    if (!(await bySite.consume(site))) throw tooMany;
    if (!(await byNetwork.consume(network))) {
      await bySite.refund(site);
      throw tooMany;
    }
    const giveNetworksBack = () => Promise.all([bySite.refund(site), byNetwork.refund(network)]);
    if (await byEmailAndSite.consume(siteKey))
      return () => Promise.all([byEmailAndSite.reset(siteKey), giveNetworksBack()]);
    await giveNetworksBack();
    throw tooMany;
  }
}

/**
 * Limits on wrong codes of the second factor, by the same rule. Who gets to them has shown the password, and codes are
 * few (a million, three of them right), so that all failures outside of known browsers also have a limit together: 20 an
 * hour guess right once in two years (OWASP ASVS 5.0, 6.3.1 and 6.5.5). A known browser stays open to the member.
 */
export function createTwoFactorAttemptLimit(db: Database) {
  const byBrowser = createRateLimit(db, { name: 'second-factor-browser', ...fiveFailures });
  const byMemberAndSite = createRateLimit(db, { name: 'second-factor', ...fiveFailures });
  const byMember = createRateLimit(db, { name: 'second-factor-all', points: 20, seconds: hour });
  return { attempt };

  /** Runs one try of a member; false from `check` is a failure. @throws ProblemError 'too-many' */
  async function attempt(
    memberId: number,
    source: AttemptSource,
    check: () => Promise<boolean>,
  ): Promise<boolean> {
    const { network, browser } = source;
    const siteKey = createSiteKey(String(memberId), network);
    const limits =
      browser === null
        ? [
            { limit: byMemberAndSite, key: siteKey, wait: quarterHour },
            { limit: byMember, key: String(memberId), wait: hour },
          ]
        : [{ limit: byBrowser, key: `${browser} ${memberId}`, wait: quarterHour }];
    for (const { limit, key, wait } of limits)
      if (!(await limit.consume(key)))
        throw new ProblemError('too-many', twoFactorMessages.tooMany, { retryAfter: wait });
    if (!(await check())) return false;
    await Promise.all(limits.map(({ limit, key }) => limit.reset(key)));
    return true;
  }
}

const createSiteKey = (who: string, network: string) => `${who} ${toCustomerNetwork(network)}`;

/**
 * Milliseconds that a try waits after so many failures for its email address in a quarter of an hour: a quarter of a second
 * from the tenth on, doubled by each further one, 4 seconds at most.
 */
export function getAttemptDelayMs(failures: number): number {
  return failures < 10 ? 0 : Math.min(4_000, 250 * 2 ** (failures - 10));
}

/** Runs tasks of the same key one after the other, those of different keys side by side. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>();
  return async function run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(task, task);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
