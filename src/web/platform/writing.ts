import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Topic, Writing } from '#shared/events.ts';

/** Tells the server that one writes, or no longer; does nothing without a connection. */
type Say = (topic: Topic, going: boolean) => void;

/** The server forgets within 25 seconds who does not repeat it. */
const repeatEvery = 10_000;

/** Who has not typed for so long has stopped, in milliseconds. This also ends it in a tab that nobody looks at. */
const quietAfter = 30_000;

const counts = new Map<Topic, number>();
const listeners = new Set<() => void>();
const going = new Map<Topic, { repeating: number; quiet: number }>();
let say: Say = () => {};

/** How many other members are writing on a topic; 0 while that cannot be known. The page must listen to the topic. */
export function useWriters(topic: Topic): number {
  return useSyncExternalStore(onChange, () => counts.get(topic) ?? 0);
}

/** Tells others of one's own writing: after every keystroke with what is in the field, and when that is over. */
export function useSayWriting(topic: Topic): { typed: (content: string) => void; over: () => void } {
  const over = useCallback(() => end(topic), [topic]);
  const typed = useCallback((content: string) => (content.trim() === '' ? end(topic) : goOn(topic)), [topic]);
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
export function sayWritingBy(next: Say): void {
  say = next;
}

export function hearWriting({ topic, count }: Writing): void {
  if ((counts.get(topic) ?? 0) === count) return;
  if (count === 0) counts.delete(topic);
  else counts.set(topic, count);
  changed();
}

/** Of one topic that is left or, without a connection, of all. */
export function forgetWriting(topic?: Topic): void {
  if (topic === undefined) counts.clear();
  else counts.delete(topic);
  changed();
}

/** The server listens only to who is subscribed, and has forgotten it when the connection is another one. */
export function sayWritingAgain(topic: Topic): void {
  if (going.has(topic)) say(topic, true);
}

function goOn(topic: Topic): void {
  const before = going.get(topic);
  window.clearTimeout(before?.quiet);
  const quiet = window.setTimeout(() => end(topic), quietAfter);
  const repeating = before?.repeating ?? window.setInterval(() => say(topic, true), repeatEvery);
  going.set(topic, { repeating, quiet });
  if (before === undefined) say(topic, true);
}

function end(topic: Topic): void {
  const before = going.get(topic);
  if (before === undefined) return;
  window.clearInterval(before.repeating);
  window.clearTimeout(before.quiet);
  going.delete(topic);
  say(topic, false);
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}
