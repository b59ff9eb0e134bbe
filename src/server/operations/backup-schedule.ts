import type { BackupRetention } from '#server/core/config.ts';

/** What is known of the backups that were made. */
export type BackupHistory = {
  now: Date;
  /** When the last good one was begun; null where there is none. */
  lastSuccess: Date | null;
  /** When the last one was begun, whatever came of it. */
  lastAttempt: Date | null;
};

/** After a failure it is tried again, in milliseconds. */
const retryAfterMs = 15 * 60_000;

/** The last moment at that time of the day, by the machine's time zone. @param at minutes since midnight */
export function lastScheduledTime(now: Date, at: number): Date {
  const moment = new Date(now);
  moment.setHours(Math.floor(at / 60), at % 60, 0, 0);
  if (moment > now) moment.setDate(moment.getDate() - 1);
  return moment;
}

/** Whether it is time for a backup: none has been good since the last moment for one, and none has failed just now. */
export function isBackupDue({ now, lastSuccess, lastAttempt }: BackupHistory, at: number): boolean {
  const moment = lastScheduledTime(now, at);
  if (lastSuccess !== null && lastSuccess >= moment) return false;
  return (
    lastAttempt === null || lastAttempt < moment || now.getTime() - lastAttempt.getTime() >= retryAfterMs
  );
}

/** Such as 'parley-scheduled-2026-11-22-0330.backup.tar', in UTC; others in the folder are the operator's own. */
export function scheduledFileName(at: Date): string {
  return `parley-scheduled-${at.toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.backup.tar`;
}

/** Whether a file is one that was being written by somebody who is gone. */
export const isPartialFile = (name: string) => /^parley-scheduled-.*\.backup\.tar\.partial$/.test(name);

/**
 * Those of the names that may go: all but the newest of each of the last days, weeks (from Monday) and months that have
 * one. The newest of all always stays.
 */
export function listOutdatedBackups(names: readonly string[], keep: BackupRetention): string[] {
  const dated = names.flatMap((name) => {
    const day = parseDay(name);
    return day === undefined ? [] : [{ name, day }];
  });
  const newestFirst = dated.toSorted((one, other) => (one.name < other.name ? 1 : -1));
  const stay = new Set(newestFirst.slice(0, 1).map(({ name }) => name));
  for (const [count, spanOf] of [
    [keep.daily, (day: string) => day],
    [keep.weekly, weekStart],
    [keep.monthly, (day: string) => day.slice(0, 7)],
  ] as const) {
    const spans = Map.groupBy(newestFirst, ({ day }) => spanOf(day));
    for (const [newest] of [...spans.values()].slice(0, count))
      if (newest !== undefined) stay.add(newest.name);
  }
  return newestFirst.map(({ name }) => name).filter((name) => !stay.has(name));
}

/** Such as '2026-11-22'. */
function parseDay(name: string): string | undefined {
  return /^parley-scheduled-(\d{4}-\d\d-\d\d)-\d{4}\.backup\.tar$/.exec(name)?.[1];
}

/** The Monday of a day's week. */
function weekStart(day: string): string {
  const monday = new Date(`${day}T00:00:00Z`);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return monday.toISOString().slice(0, 10);
}
