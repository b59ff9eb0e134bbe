import type pg from 'pg';
import { createProbe } from './replica-connections.ts';

/**
 * What this node writes into the primary again and again. A replica that shows a beat has everything that was committed
 * before the beat was written, and follows this primary and no other database.
 */
export type Heartbeat = {
  /** Writes the next beat. Never rejects. */
  send(): Promise<void>;
  /** Milliseconds since a beat was written; undefined for one that proves nothing, or is long gone. */
  ageMs(beat: number): number | undefined;
  /**
   * Milliseconds by which who shows this beat, or 0 for none, is behind at least; 0 for the newest. Undefined while the
   * primary does not answer.
   */
  lagMs(beat: number): number | undefined;
  stop(): void;
};

/** How long beats are remembered, and how long the primary may take for one, in milliseconds. */
const memoryMs = 60_000;
const timeoutMs = 2_000;

export function createHeartbeat(connection: pg.ClientConfig, node: string): Heartbeat {
  /** When each beat was sent, oldest first, by this process's clock. */
  const sent = new Map<number, number>();
  let last = 0;
  let running: Promise<void> | undefined;
  const primary = createProbe({ connection, timeoutMs, onEnd: forget });
  return { send: () => (running ??= write()), ageMs: age, lagMs: lag, stop: () => primary.stop() };

  async function write(): Promise<void> {
    const beat = ++last;
    const at = performance.now();
    try {
      await primary.query(insertHeartbeat, [node, beat]);
      sent.set(beat, at);
      for (const [old, time] of sent) if (time < at - memoryMs) sent.delete(old);
    } catch {
      forget();
    } finally {
      running = undefined;
    }
  }

  /**
   * The primary may have crashed, and have lost which places members wrote up to (written.ts): replicas have to show a beat
   * from after that.
   */
  function forget() {
    sent.clear();
  }

  function age(beat: number): number | undefined {
    const at = sent.get(beat);
    return at === undefined ? undefined : performance.now() - at;
  }

  function lag(beat: number): number | undefined {
    if (sent.size === 0) return undefined;
    for (const [each, at] of sent) if (each > beat) return performance.now() - at;
    return 0;
  }
}

/** On the primary's disk at once, because only then is it sent on; no standby is waited for, whatever the settings say. */
const insertHeartbeat = `
  insert into node_heartbeat (node, counter)
  select $1, $2 from (select set_config('synchronous_commit', 'local', true)) unwaited
  on conflict (node) do update set counter = excluded.counter, sent_at = now()`;
