import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Topic } from '#shared/core/events.ts';
import type pg from 'pg';
import { listenToChannels } from './database-listen.ts';
import type { Database } from './database.ts';
import { notifyNodes } from './events.ts';

/** Answers are written to questions only. */
export type QuestionTopic = Extract<Topic, `question:${number}`>;

/**
 * Who is writing on a topic right now, on all nodes together. It is kept in memory only and repeated while it goes on:
 * a signal that gets lost, or a node that dies, is put right within seconds.
 */
export type TypingTracker = {
  /** Somebody writes, or goes on writing. */
  start(topic: QuestionTopic, memberId: number): void;
  end(topic: QuestionTopic, memberId: number): void;
  /** How many write on a topic besides one member. */
  countOthers(topic: Topic, besides: { but: number }): number;
  /** Called with all who write on a topic, whenever that changes. */
  onChange(listener: (topic: Topic, memberIds: readonly number[]) => void): void;
  stop(): Promise<void>;
};

const typingChannel = 'parley_writing';

/** Who did not repeat it for so long has stopped, in milliseconds; browsers repeat it every 10 seconds. */
const expiresAfterMs = 25_000;
const sweepIntervalMs = 2_000;

/** Signals of this time go to the other nodes together, in milliseconds. */
const batchMs = 150;

/** PostgreSQL's limit on a payload is 8,000 bytes; an entry has less than 60, the node less than 50. */
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
    heard: (_, payload) => handleSignal(payload),
    log,
  });
  const sweeping = setInterval(removeExpired, sweepIntervalMs);

  return {
    start: (topic, memberId) => queueEntry([topic, memberId, true]),
    end: (topic, memberId) => queueEntry([topic, memberId, false]),
    countOthers(topic, { but }) {
      const members = typing.get(topic);
      return members === undefined ? 0 : members.size - Number(members.has(but));
    },
    onChange: (listener) => (changed = listener),
    async stop() {
      clearInterval(sweeping);
      clearTimeout(sending);
      // Those whose sockets this node has closed by now.
      await send();
      await listener.stop();
    },
  };

  function queueEntry(entry: Entry): void {
    unsent.push(entry);
    sending ??= setTimeout(() => void send(), batchMs);
  }

  /** This node hears its own signals, too: there is one way in. */
  async function send(): Promise<void> {
    sending = undefined;
    // Of one member on one topic, the last holds.
    const latest = [...new Map(unsent.map((entry) => [`${entry[0]} ${entry[1]}`, entry])).values()];
    unsent = [];
    for (let first = 0; first < latest.length; first += maxEntriesPerSignal) {
      const outgoing: Signal = { node, entries: latest.slice(first, first + maxEntriesPerSignal) };
      // It is repeated, or forgotten.
      await notifyNodes(db, typingChannel, JSON.stringify(outgoing)).catch(() => {});
    }
  }

  function handleSignal(payload: string | undefined): void {
    const read = signal.safeParse(parseJson(payload));
    if (!read.success) return;
    for (const [topic, memberId, going] of read.data.entries) {
      const members = typing.get(topic) ?? new Map<number, ExpiryByNode>();
      const before = members.size;
      const until: ExpiryByNode = members.get(memberId) ?? new Map();
      if (going) until.set(read.data.node, Date.now() + expiresAfterMs);
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
 * Until when somebody counts as writing, by the node that said so: a member with two tabs on two nodes goes on writing
 * when one of them ends, and one who moves to another node does not stop by leaving the first.
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
