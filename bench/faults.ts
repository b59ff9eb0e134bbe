import { withTemporaryDirectory } from '#tests/support/temporary-parley.ts';
import { backupDiskFull } from './faults/backup-disk-full.ts';
import { clockSteps } from './faults/clock-steps.ts';
import { connectionsExhausted } from './faults/connections-exhausted.ts';
import { databaseRestarts } from './faults/database-restarts.ts';
import { diskFull } from './faults/disk-full.ts';
import { emailServerDown } from './faults/email-server-down.ts';

/**
 * What goes wrong in earnest, done to a real Parley while members write. Each fault ends with the same questions: is every
 * acknowledged write there, once; is every count right; has nobody seen what is somebody else's; did it recover by
 * itself. `node bench/faults.ts [name …]`; all of them without a name. Some need root, for a file system of their own,
 * and clock-steps needs libfaketime (Debian's package, or FAKETIME_LIBRARY with its path).
 */
const faults: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  'database-restarts': databaseRestarts,
  'connections-exhausted': connectionsExhausted,
  'disk-full': diskFull,
  'backup-disk-full': backupDiskFull,
  'clock-steps': clockSteps,
  'mail-server-down': emailServerDown,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in faults));
if (unknown.length > 0) {
  console.error(`There is no fault ${unknown.join(', ')}; there are: ${Object.keys(faults).join(', ')}.`);
  process.exit(2);
}
for (const [name, fault] of Object.entries(faults)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    console.log(`${name}: ${await withTemporaryDirectory(fault)}`);
  } catch (error) {
    console.error(`${name}: FAILED`, error);
    process.exitCode = 1;
  }
}
