import { expect, test } from 'vitest';
import { isBackupDue, lastScheduledTime, listOutdatedBackups, scheduledFileName } from './backup-schedule.ts';

const at = 3 * 60 + 30;
const local = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);

test('is due once a day, at its time or as soon as a node runs after it', () => {
  expect(lastScheduledTime(local(22, 3, 29), at)).toEqual(local(21, 3, 30));
  expect(lastScheduledTime(local(22, 3, 30), at)).toEqual(local(22, 3, 30));
  const yesterday = { lastSuccess: local(21, 3, 30), lastAttempt: local(21, 3, 30) };
  expect(isBackupDue({ now: local(22, 3, 29), ...yesterday }, at)).toBe(false);
  expect(isBackupDue({ now: local(22, 3, 30), ...yesterday }, at)).toBe(true);
  expect(isBackupDue({ now: local(22, 17), ...yesterday }, at)).toBe(true);
  expect(isBackupDue({ now: local(22, 17), lastSuccess: local(22, 9), lastAttempt: local(22, 9) }, at)).toBe(
    false,
  );
  expect(isBackupDue({ now: local(22, 17), lastSuccess: null, lastAttempt: null }, at)).toBe(true);
});

test('is retried a quarter of an hour after a failure', () => {
  const failed = { lastSuccess: local(21, 3, 30), lastAttempt: local(22, 3, 30) };
  expect(isBackupDue({ now: local(22, 3, 44), ...failed }, at)).toBe(false);
  expect(isBackupDue({ now: local(22, 3, 45), ...failed }, at)).toBe(true);
});

test('keeps the newest daily backups of the last days, weeks and months of a year', () => {
  const names = Array.from({ length: 365 }, (_, day) =>
    scheduledFileName(new Date(Date.UTC(2026, 0, 1 + day, 3, 30))),
  );
  const gone = new Set(
    listOutdatedBackups(names, { daily: 7, weekly: 4, monthly: 12 }, new Date('2027-01-01')),
  );
  const days = names.filter((name) => !gone.has(name)).map((name) => name.slice(17, 27));
  expect(days).toEqual(
    `01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-13 12-20
      12-25 12-26 12-27 12-28 12-29 12-30 12-31`
      .split(/\s+/)
      .map((day) => `2026-${day}`),
  );
});

test('always keeps the newest, and files that are not scheduled backups', () => {
  const newest = scheduledFileName(new Date('2026-11-22T03:30:00Z'));
  const older = scheduledFileName(new Date('2026-11-22T03:10:00Z'));
  const own = ['parley-2026-11-20-0330.backup.tar', 'notes.txt', `${newest}.partial`];
  const retention = { daily: 1, weekly: 0, monthly: 0 };
  expect(listOutdatedBackups([older, newest, ...own], retention, new Date('2026-11-22'))).toEqual([older]);
});

test('neither counts nor deletes backups of the future, which a wrong clock named', () => {
  const [future, newest, older] = ['2031-01-01', '2026-11-22', '2026-11-21'].map((day) =>
    scheduledFileName(new Date(`${day}T03:30:00Z`)),
  );
  const names = [future, newest, older].filter((name) => name !== undefined);
  const retention = { daily: 1, weekly: 0, monthly: 0 };
  expect(listOutdatedBackups(names, retention, new Date('2026-11-22T04:00:00Z'))).toEqual([older]);
});
