import type { BackupRetention } from '#server/core/config-variables.ts';

/** The times of previous backups. */
export type BackupHistory = {
  now: Date;
  /** Start of the last successful run; null if there is none. */
  lastSuccess: Date | null;
  /** Start of the last run, with any result. */
  lastAttempt: Date | null;
};

/** Milliseconds after which a failed backup is retried. */
const retryAfterMs = 15 * 60_000;

/**
 * Returns the last moment at that time of day, in the machine's time zone.
 * @param at minutes since midnight
 */
export function lastScheduledTime(now: Date, at: number): Date {
  const moment = new Date(now);
  moment.setHours(Math.floor(at / 60), at % 60, 0, 0);
  if (moment > now) moment.setDate(moment.getDate() - 1);
  return moment;
}

/** Whether a backup is due: none has succeeded since the last scheduled time, and none has failed recently. */
export function isBackupDue({ now, lastSuccess, lastAttempt }: BackupHistory, at: number): boolean {
  const moment = lastScheduledTime(now, at);
  if (lastSuccess !== null && lastSuccess >= moment) return false;
  return (
    lastAttempt === null || lastAttempt < moment || now.getTime() - lastAttempt.getTime() >= retryAfterMs
  );
}

/**
 * For example 'parley-scheduled-2026-11-22-0330.backup.tar', in UTC. Other files in the directory are the operator's
 * own.
 */
export function scheduledFileName(at: Date): string {
  return `parley-scheduled-${at.toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.backup.tar`;
}

export const isScheduledFile = (name: string) => parseDay(name) !== undefined;

/**
 * Returns the names of backups to delete: all except the newest of each of the last days, weeks (from Monday) and
 * months that have one. The newest of all is always kept. Backups of the future, of a machine with a wrong clock, are
 * neither counted nor deleted.
 */
export function listOutdatedBackups(
  names: readonly string[],
  retention: BackupRetention,
  now: Date,
): string[] {
  const tomorrow = scheduledFileName(new Date(now.getTime() + 24 * 60 * 60_000));
  const dated = names.flatMap((name) => {
    const day = parseDay(name);
    return day === undefined || name > tomorrow ? [] : [{ name, day }];
  });
  const newestFirst = dated.toSorted((one, other) => (one.name < other.name ? 1 : -1));
  const stay = new Set(newestFirst.slice(0, 1).map(({ name }) => name));
  for (const [count, spanOf] of [
    [retention.daily, (day: string) => day],
    [retention.weekly, weekStart],
    [retention.monthly, (day: string) => day.slice(0, 7)],
  ] as const) {
    const spans = Map.groupBy(newestFirst, ({ day }) => spanOf(day));
    for (const [newest] of [...spans.values()].slice(0, count))
      if (newest !== undefined) stay.add(newest.name);
  }
  return newestFirst.map(({ name }) => name).filter((name) => !stay.has(name));
}

/** Returns the day, such as '2026-11-22'. */
function parseDay(name: string): string | undefined {
  return /^parley-scheduled-(\d{4}-\d\d-\d\d)-\d{4}\.backup\.tar$/.exec(name)?.[1];
}

/** Returns the Monday of a day's week. */
function weekStart(day: string): string {
  const monday = new Date(`${day}T00:00:00Z`);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return monday.toISOString().slice(0, 10);
}
