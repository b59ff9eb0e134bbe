import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Topic, TypingPresence } from '#shared/core/events.ts';

/** Tells the server that one writes, or no longer; does nothing without a connection. */
type SendTyping = (topic: Topic, going: boolean) => void;

/** The server forgets within 25 seconds who does not repeat it. */
const repeatIntervalMs = 10_000;

/** Who has not typed for so long has stopped, in milliseconds. This also ends it in a tab that nobody looks at. */
const idleAfterMs = 30_000;

const counts = new Map<Topic, number>();
const listeners = new Set<() => void>();
const reportedTopics = new Map<Topic, { repeating: number; quiet: number }>();
let sendTyping: SendTyping = () => {};

/** How many other members are writing on a topic; 0 while that cannot be known. The page must listen to the topic. */
export function useTypingCount(topic: Topic): number {
  return useSyncExternalStore(onChange, () => counts.get(topic) ?? 0);
}

/** Tells others of one's own writing: after every keystroke with what is in the field, and when that is over. */
export function useReportTyping(topic: Topic): { typed: (content: string) => void; over: () => void } {
  const over = useCallback(() => reportIdle(topic), [topic]);
  const typed = useCallback(
    (content: string) => (content.trim() === '' ? reportIdle(topic) : reportTyping(topic)),
    [topic],
  );
  useEffect(() => {
    window.addEventListener('pagehide', over);
    return () => {
      window.removeEventListener('pagehide', over);
      over();
    };
  }, [over]);
  return { typed, over };
}

/** The connection's way to say it. */
export function setTypingTransport(next: SendTyping): void {
  sendTyping = next;
}

export function handleTypingEvent({ topic, count }: TypingPresence): void {
  if ((counts.get(topic) ?? 0) === count) return;
  if (count === 0) counts.delete(topic);
  else counts.set(topic, count);
  changed();
}

/** Of one topic that is left or, without a connection, of all. */
export function clearTypingCounts(topic?: Topic): void {
  if (topic === undefined) counts.clear();
  else counts.delete(topic);
  changed();
}

/** The server listens only to who is subscribed, and has forgotten it when the connection is another one. */
export function resendTyping(topic: Topic): void {
  if (reportedTopics.has(topic)) sendTyping(topic, true);
}

function reportTyping(topic: Topic): void {
  const before = reportedTopics.get(topic);
  window.clearTimeout(before?.quiet);
  const quiet = window.setTimeout(() => reportIdle(topic), idleAfterMs);
  const repeating = before?.repeating ?? window.setInterval(() => sendTyping(topic, true), repeatIntervalMs);
  reportedTopics.set(topic, { repeating, quiet });
  if (before === undefined) sendTyping(topic, true);
}

function reportIdle(topic: Topic): void {
  const before = reportedTopics.get(topic);
  if (before === undefined) return;
  window.clearInterval(before.repeating);
  window.clearTimeout(before.quiet);
  reportedTopics.delete(topic);
  sendTyping(topic, false);
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}
