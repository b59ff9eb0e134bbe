import type pg from 'pg';
import {
  type IntegrityViolation,
  findViolationsBetween,
  getLargestId,
  indexScanSettings,
} from './integrity-check.ts';
import { openDatabase } from '#server/core/database.ts';
import type { Progress } from '#server/core/progress.ts';
import { canRepair, repairViolations, type RepairedRow, publishRepairs } from './integrity-repair.ts';
import { type Finding, createFinding, okFinding } from './doctor-findings.ts';

export type CheckCountsOptions = {
  connection: pg.PoolConfig;
  /** Repairs counts that can be recounted. */
  isRepairing: boolean;
  progress: Progress;
  signal: AbortSignal;
  /** Ids per statement. */
  chunkSize?: number;
};

/** Rows of one rule per statement. */
const maxRows = 1_000;

/** Repair rounds per chunk at most: enough for all its rows of one rule, and some more. */
const maxRounds = 50;

/** Compares every count with its rows, chunk by chunk, while members write. */
export async function checkCounts(
  options: CheckCountsOptions,
): Promise<{ findings: Finding[]; changed: RepairedRow[] }> {
  const { connection, isRepairing, progress, signal, chunkSize = 20_000 } = options;
  const db = openDatabase({
    connection: { ...connection, options: indexScanSettings, statement_timeout: 600_000 },
    maxConnections: 2,
  });
  const remaining: IntegrityViolation[] = [];
  const changed: RepairedRow[] = [];
  try {
    const end = (await getLargestId(db)) + 1;
    progress.start(end);
    for (let from = 0; from < end; from += chunkSize) {
      signal.throwIfAborted();
      await checkChunk(from);
      progress.update(
        'comparing counts with rows',
        Math.min(end, from + chunkSize),
        Math.min(end, from + chunkSize),
      );
    }
    if (changed.length > 0) await publishRepairs(db);
  } finally {
    progress.stop();
    await db.destroy();
  }
  return { findings: toFindings(remaining, changed), changed };

  async function checkChunk(from: number): Promise<void> {
    for (let round = 1; ; round++) {
      const broken = await findViolationsBetween(db, { from, to: from + chunkSize, limit: maxRows });
      const repaired = isRepairing ? await repairViolations(db, broken) : [];
      changed.push(...repaired);
      // There is more to do if a rule had more rows than the limit, or if one repair leads to another.
      if (repaired.length > 0 && round < maxRounds) continue;
      remaining.push(...broken);
      return;
    }
  }
}

function toFindings(violations: readonly IntegrityViolation[], changed: readonly RepairedRow[]): Finding[] {
  const finding = createFinding('counts');
  const wrong = [...Map.groupBy(violations, ({ rule }) => rule)].map(([rule, rows]) => {
    const some = rows
      .slice(0, 3)
      .map(({ id, stored, expected }) => `${id} has ${stored} instead of ${expected}`);
    return finding(
      'problem',
      `${rows.length} rows break '${rule}': ${some.join('; ')}${rows.length > some.length ? '; …' : ''}.`,
      'Members see wrong numbers.',
      canRepair(rule)
        ? 'parley doctor --repair'
        : 'Recounting cannot repair it. Restore a backup, or report it with what happened before.',
    );
  });
  if (wrong.length > 0) return wrong;
  const allWellText = 'Every count equals its rows';
  return [
    okFinding(
      'counts',
      changed.length === 0 ? `${allWellText}.` : `${allWellText} after ${changed.length} repairs.`,
    ),
  ];
}
