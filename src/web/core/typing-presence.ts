import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Topic, TypingPresence } from '#shared/core/events.ts';

/** Reports to the server that the member starts or stops writing. Does nothing without a connection. */
type SendTyping = (topic: Topic, isTyping: boolean) => void;

/** The server forgets a writer 25 seconds after the last report. */
const repeatIntervalMs = 10_000;

/** A writer who has not typed for this many milliseconds has stopped. This also ends it in hidden tabs. */
const idleAfterMs = 30_000;

const counts = new Map<Topic, number>();
const listeners = new Set<() => void>();
const reportedTopics = new Map<Topic, { repeating: number; quiet: number }>();
let sendTyping: SendTyping = () => {};

/** How many other members are writing on a topic; 0 while that is unknown. The page must be subscribed to the topic. */
export function useTypingCount(topic: Topic): number {
  return useSyncExternalStore(
    onChange,
    () => counts.get(topic) ?? 0,
    () => 0,
  );
}

/**
 * Reports the member's own writing. Call `typed` with the content after every change and `over` when the form closes.
 */
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

/** Sets the function that sends reports over the live connection. */
export function setTypingTransport(next: SendTyping): void {
  sendTyping = next;
}

export function handleTypingEvent({ topic, count }: TypingPresence): void {
  if ((counts.get(topic) ?? 0) === count) return;
  if (count === 0) counts.delete(topic);
  else counts.set(topic, count);
  changed();
}

/** Clears the count of one topic or, without a connection, of all topics. */
export function clearTypingCounts(topic?: Topic): void {
  if (topic === undefined) counts.clear();
  else counts.delete(topic);
  changed();
}

/** The server accepts reports only on subscribed topics and forgets them when the connection changes. */
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
