import type pg from 'pg';
import { createProbe } from './replica-connections.ts';

/**
 * A row that this node keeps updating on the primary. A replica that shows a beat has replayed everything committed
 * before that beat was written, and it follows this primary and no other database.
 */
export type Heartbeat = {
  /** Writes the next beat. Never rejects. */
  send(): Promise<void>;
  /** Milliseconds since a beat was written. Undefined for an unknown beat or one older than a minute. */
  ageMs(beat: number): number | undefined;
  /**
   * The minimum lag in milliseconds of a replica that shows this beat (0: none); 0 for the newest beat. Undefined while
   * the primary does not respond.
   */
  lagMs(beat: number): number | undefined;
  stop(): void;
};

/** How long beats are remembered, and the timeout for writing one, in milliseconds. */
const memoryMs = 60_000;
const timeoutMs = 2_000;

export function createHeartbeat(connection: pg.ClientConfig, node: string): Heartbeat {
  /** When each beat was sent, oldest first, by the clock of this process. */
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
   * The primary may have crashed and lost the members' last write positions (replica-last-write.ts). Replicas must show
   * a later beat before they serve again.
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

/**
 * Flushed to the disk of the primary immediately, because only flushed data is sent to standbys. It never waits for a
 * standby, regardless of the settings.
 */
const insertHeartbeat = `
  insert into node_heartbeat (node, counter)
  select $1, $2 from (select set_config('synchronous_commit', 'local', true)) local_commit
  on conflict (node) do update set counter = excluded.counter, sent_at = now()`;
