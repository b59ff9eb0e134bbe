import { setTimeout as delay } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Database } from '#server/core/database.ts';
import { overloadedError, ProblemError } from '#server/core/errors.ts';
import { toCustomerNetwork } from '#server/core/network-address.ts';
import { requirePoint, createRateLimit, type RateLimit } from '#server/core/rate-limits.ts';

/** The source of an attempt: the network address, and the browser's id if the member has signed in there before. */
export type AttemptSource = { network: string; browser: string | null };

const quarterHour = 15 * 60;
const hour = 60 * 60;

/**
 * How many attempts wait for others of the same member in the same network or browser, and for others of the network.
 * Any more are refused.
 */
const maxWaiting = { ofMember: 10, ofNetwork: 200 };

/** docs/product.md 2.6: 5 failures in 15 minutes, then blocked for 15 minutes. */
const fiveFailures = { points: 5, seconds: quarterHour, blockSeconds: quarterHour };

/**
 * Limits wrong passwords. Guessing must not lock a member out (docs/decisions/038). So failures count per email address
 * and network; in a known browser of the member they count for that browser only. All failures of an email address
 * together only slow its attempts down.
 */
export function createPasswordAttemptLimit(db: Database) {
  const byBrowser = createRateLimit(db, { name: 'sign-in-browser', ...fiveFailures });
  const byEmailAndNetwork = createRateLimit(db, { name: 'sign-in-email-network', ...fiveFailures });
  const byNetwork = createRateLimit(db, { name: 'sign-in-network', ...fiveFailures, points: 30 });
  const byCustomerNetwork = createRateLimit(db, {
    name: 'sign-in-customer-network',
    ...fiveFailures,
    points: 60,
  });
  const byEmail = createRateLimit(db, { name: 'sign-in-email', points: 1_000_000, seconds: quarterHour });
  const byMemberInTurn = createKeyedQueue(
    maxWaiting.ofMember,
    () => new ProblemError('too-fast', { retryAfter: 1 }),
  );
  const byNetworkInTurn = createKeyedQueue(maxWaiting.ofNetwork, overloadedError);
  return { attempt, forget: resetAttempts };

  /**
   * Runs one attempt for an email address. If `check` returns undefined, the attempt failed.
   * @throws ProblemError 'too-many'; 'busy' if too many of the network wait
   */
  async function attempt<Result>(
    email: string,
    source: AttemptSource,
    check: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const { network, browser } = source;
    // Before entering the queue, so that a delayed attempt does not block others.
    if (browser === null) await delay(getAttemptDelayMs(await byEmail.consumed(email)));
    const run = async () => {
      // Counted before the check, so that concurrent attempts, also on other nodes, cannot all pass.
      const undo = await consume(email, source);
      const result = await check();
      await (result === undefined ? byEmail.consume(email) : undo());
      return result;
    };
    if (browser !== null) return byMemberInTurn(`browser ${browser}`, run);
    // One at a time, so that many members who sign in from a network at the same time are not counted as failures. Each
    // of them waits there with one attempt, so that one with many does not hold up the others.
    return byMemberInTurn(createCustomerNetworkKey(email, network), () =>
      byNetworkInTurn(toCustomerNetwork(network), run),
    );
  }

  /** Resets the counts of a member whose password was reset. */
  async function resetAttempts(email: string, network: string): Promise<void> {
    await Promise.all([
      byEmailAndNetwork.reset(createCustomerNetworkKey(email, network)),
      byEmail.reset(email),
    ]);
  }

  /** Returns a function that undoes the count after a success. */
  async function consume(
    email: string,
    { network, browser }: AttemptSource,
  ): Promise<() => Promise<unknown>> {
    const code = 'too-many-failed-sign-ins';
    if (browser !== null) {
      const key = `${browser} ${email}`;
      await requirePoint(byBrowser, { key, code });
      return () => byBrowser.reset(key);
    }
    const [customerNetwork, customerNetworkKey] = [
      toCustomerNetwork(network),
      createCustomerNetworkKey(email, network),
    ];
    await requirePoint(byCustomerNetwork, { key: customerNetwork, code });
    const refundCustomerNetwork = () => byCustomerNetwork.refund(customerNetwork);
    await orUndo(requirePoint(byNetwork, { key: network, code }), refundCustomerNetwork);
    const refundNetworks = () => Promise.all([refundCustomerNetwork(), byNetwork.refund(network)]);
    await orUndo(requirePoint(byEmailAndNetwork, { key: customerNetworkKey, code }), refundNetworks);
    return () => Promise.all([byEmailAndNetwork.reset(customerNetworkKey), refundNetworks()]);
  }
}

/** Undoes what was counted before if the next count is refused. */
async function orUndo(counting: Promise<void>, undo: () => Promise<unknown>): Promise<void> {
  try {
    await counting;
  } catch (error) {
    await undo();
    throw error;
  }
}

/**
 * Limits wrong two-factor codes by the same rule. An attacker here knows the password, and there are few codes (a
 * million, three of them valid). So all failures outside known browsers together also have a limit: at 20 an hour, a
 * guess succeeds once in two years (OWASP ASVS 5.0, 6.3.1 and 6.5.5). A known browser stays open to the member.
 */
export function createTwoFactorAttemptLimit(db: Database) {
  const byBrowser = createRateLimit(db, { name: 'two-factor-browser', ...fiveFailures });
  const byMemberAndNetwork = createRateLimit(db, { name: 'two-factor-member-network', ...fiveFailures });
  const byMember = createRateLimit(db, { name: 'two-factor-member', points: 20, seconds: hour });
  return { attempt };

  /**
   * Runs one attempt of a member. If `check` returns false, the attempt failed.
   * @throws ProblemError 'too-many'
   */
  async function attempt(
    memberId: number,
    source: AttemptSource,
    check: () => Promise<boolean>,
  ): Promise<boolean> {
    const { network, browser } = source;
    const customerNetworkKey = createCustomerNetworkKey(String(memberId), network);
    const limits: { limit: RateLimit; key: string }[] =
      browser === null
        ? [
            { limit: byMemberAndNetwork, key: customerNetworkKey },
            { limit: byMember, key: String(memberId) },
          ]
        : [{ limit: byBrowser, key: `${browser} ${memberId}` }];
    for (const { limit, key } of limits) await requirePoint(limit, { key, code: 'too-many-wrong-codes' });
    if (!(await check())) return false;
    await Promise.all(limits.map(({ limit, key }) => limit.reset(key)));
    return true;
  }
}

const createCustomerNetworkKey = (who: string, network: string) => `${who} ${toCustomerNetwork(network)}`;

/**
 * Returns the delay of an attempt in milliseconds after this many failures for its email address in a quarter of an
 * hour: 250 ms from the tenth on, doubled with each further one, at most 4 seconds.
 */
export function getAttemptDelayMs(failures: number): number {
  return failures < 10 ? 0 : Math.min(4_000, 250 * 2 ** (failures - 10));
}

/**
 * Runs tasks with the same key one after the other, and tasks with different keys concurrently. The returned function
 * throws `refusal` if `waiting` tasks with the key wait already.
 */
function createKeyedQueue(waiting: number, refusal: () => ProblemError) {
  const queues = new Map<string, LimitFunction>();
  return async function run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(key) ?? pLimit(1);
    if (queue.pendingCount >= waiting) throw refusal();
    queues.set(key, queue);
    try {
      return await queue(task);
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(key);
    }
  };
}
