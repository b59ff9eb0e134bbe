import type pg from 'pg';
import { type Broken, brokenBetween, largestId, pieceSettings } from '#server/invariants.ts';
import { openDatabase } from '#server/platform/database.ts';
import type { Progress } from '#server/platform/progress.ts';
import { isRepairable, repair, type Repaired, tellRepaired } from '#server/repair.ts';
import { type Finding, finder, ok } from './finding.ts';

export type CountsOptions = {
  connection: pg.PoolConfig;
  /** Puts right what can be counted again. */
  repairs: boolean;
  progress: Progress;
  signal: AbortSignal;
  /** Ids looked at in one statement. */
  piece?: number;
};

/** Rows of one rule taken from one statement. */
const most = 1_000;

/** Rounds of repairing one piece at most: that many rows of one rule are in it, and some more. */
const rounds = 50;

/** Compares every count with its rows, piece by piece beside members who write. */
export async function checkCounts(
  options: CountsOptions,
): Promise<{ findings: Finding[]; changed: Repaired[] }> {
  const { connection, repairs, progress, signal, piece = 20_000 } = options;
  const db = openDatabase({
    connection: { ...connection, options: pieceSettings, statement_timeout: 600_000 },
    size: 2,
  });
  const left: Broken[] = [];
  const changed: Repaired[] = [];
  try {
    const end = (await largestId(db)) + 1;
    progress.start(end);
    for (let from = 0; from < end; from += piece) {
      signal.throwIfAborted();
      await lookAt(from);
      progress.update('comparing counts with rows', Math.min(end, from + piece), Math.min(end, from + piece));
    }
    if (changed.length > 0) await tellRepaired(db);
  } finally {
    progress.stop();
    await db.destroy();
  }
  return { findings: findingsOf(left, changed), changed };

  async function lookAt(from: number): Promise<void> {
    for (let round = 1; ; round++) {
      const broken = await brokenBetween(db, { from, to: from + piece, most });
      const done = repairs ? await repair(db, broken) : [];
      changed.push(...done);
      // Where a rule had more than were taken, and where one follows from another, there is more to do.
      if (done.length > 0 && round < rounds) continue;
      left.push(...broken);
      return;
    }
  }
}

function findingsOf(left: readonly Broken[], changed: readonly Repaired[]): Finding[] {
  const found = finder('counts');
  const wrong = [...Map.groupBy(left, ({ rule }) => rule)].map(([rule, rows]) => {
    const some = rows
      .slice(0, 3)
      .map(({ id, stored, counted }) => `${id} says ${stored} instead of ${counted}`);
    return found(
      'problem',
      `${rows.length} rows break '${rule}': ${some.join('; ')}${rows.length > some.length ? '; …' : ''}.`,
      'Members see something that is not so.',
      isRepairable(rule)
        ? 'parley doctor --repair'
        : 'It cannot be counted again: restore a backup, or report it with what happened before.',
    );
  });
  if (wrong.length > 0) return wrong;
  const said = 'Every count equals its rows';
  return [
    ok(
      'counts',
      changed.length === 0 ? `${said}.` : `${said} now that ${changed.length} have been put right.`,
    ),
  ];
}
