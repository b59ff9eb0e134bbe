import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Topic } from '#shared/core/events.ts';
import type pg from 'pg';
import { listenToChannels } from './database-listen.ts';
import type { Database } from './database.ts';
import { notifyNodes } from './events.ts';

/** Typing presence exists for answers to questions only. */
export type QuestionTopic = Extract<Topic, `question:${number}`>;

/**
 * Tracks who is typing on a topic, across all nodes. The state is in memory only and is repeated while it lasts, so a
 * lost signal or a dead node is corrected within seconds.
 */
export type TypingTracker = {
  /** The member starts or continues typing. */
  start(topic: QuestionTopic, memberId: number): void;
  end(topic: QuestionTopic, memberId: number): void;
  /** The number of members who are typing on a topic, without one member. */
  countTyping(topic: Topic, options: { exclude: number }): number;
  /** Called with all members who are typing on a topic whenever they change. */
  onChange(listener: (topic: Topic, memberIds: readonly number[]) => void): void;
  stop(): Promise<void>;
};

const typingChannel = 'parley_typing';

/**
 * A member who has not repeated the signal for this long has stopped, in milliseconds. Browsers repeat it every 10
 * seconds.
 */
const expiresAfterMs = 25_000;
const sweepIntervalMs = 2_000;

/** Signals within this time are sent to the other nodes together, in milliseconds. */
const batchMs = 150;

/** PostgreSQL limits a payload to 8,000 bytes. An entry has less than 60 bytes, the node id less than 50. */
const maxEntriesPerSignal = 120;

export function startTypingTracker(options: {
  db: Database;
  connection: pg.ClientConfig;
  log: Logger;
}): TypingTracker {
  const { db, connection, log } = options;
  const node = randomUUID();
  const typing = new Map<Topic, Map<number, ExpiryByNode>>();
  let changed: (topic: Topic, memberIds: readonly number[]) => void = () => {};
  let unsent: Entry[] = [];
  let sending: NodeJS.Timeout | undefined;
  const listener = listenToChannels({
    connection,
    channels: [typingChannel],
    onMessage: (_, payload) => handleSignal(payload),
    log,
  });
  const sweeping = setInterval(removeExpired, sweepIntervalMs);

  return {
    start: (topic, memberId) => queueEntry([topic, memberId, true]),
    end: (topic, memberId) => queueEntry([topic, memberId, false]),
    countTyping(topic, { exclude }) {
      const members = typing.get(topic);
      return members === undefined ? 0 : members.size - Number(members.has(exclude));
    },
    onChange: (listener) => (changed = listener),
    async stop() {
      clearInterval(sweeping);
      clearTimeout(sending);
      // The members whose sockets this node has just closed.
      await send();
      await listener.stop();
    },
  };

  function queueEntry(entry: Entry): void {
    unsent.push(entry);
    sending ??= setTimeout(() => void send(), batchMs);
  }

  /** Sends the signals to all nodes. This node handles its own signals in the same way. */
  async function send(): Promise<void> {
    sending = undefined;
    // The last signal of a member on a topic wins.
    const latest = [...new Map(unsent.map((entry) => [`${entry[0]} ${entry[1]}`, entry])).values()];
    unsent = [];
    for (let first = 0; first < latest.length; first += maxEntriesPerSignal) {
      const outgoing: Signal = { node, entries: latest.slice(first, first + maxEntriesPerSignal) };
      // The signal is repeated, or it expires.
      await notifyNodes(db, typingChannel, JSON.stringify(outgoing)).catch(() => {});
    }
  }

  function handleSignal(payload: string | undefined): void {
    const read = signal.safeParse(parseJson(payload));
    if (!read.success) return;
    for (const [topic, memberId, isTyping] of read.data.entries) {
      const members = typing.get(topic) ?? new Map<number, ExpiryByNode>();
      const before = members.size;
      const until: ExpiryByNode = members.get(memberId) ?? new Map();
      if (isTyping) until.set(read.data.node, Date.now() + expiresAfterMs);
      else until.delete(read.data.node);
      if (until.size > 0) typing.set(topic, members.set(memberId, until));
      else members.delete(memberId);
      if (members.size !== before) notifyListener(topic, members);
    }
  }

  function removeExpired(): void {
    const now = Date.now();
    for (const [topic, members] of typing) {
      const before = members.size;
      for (const [memberId, until] of members) {
        for (const [node, time] of until) if (time < now) until.delete(node);
        if (until.size === 0) members.delete(memberId);
      }
      if (members.size !== before) notifyListener(topic, members);
    }
  }

  function notifyListener(topic: Topic, members: ReadonlyMap<number, ExpiryByNode>): void {
    if (members.size === 0) typing.delete(topic);
    changed(topic, [...members.keys()]);
  }
}

/**
 * When a member's signals expire, by node. A member with tabs on two nodes keeps typing when one tab ends, and one who
 * moves to another node does not stop by leaving the first.
 */
type ExpiryByNode = Map<string, number>;

const signal = z.object({
  node: z.uuid(),
  entries: z.array(z.tuple([z.templateLiteral(['question:', z.number()]), z.int().positive(), z.boolean()])),
});
type Entry = [QuestionTopic, number, boolean];
type Signal = { node: string; entries: readonly Entry[] };

function parseJson(payload: string | undefined): unknown {
  if (payload === undefined) return null;
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}
