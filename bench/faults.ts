import { withTemporaryDirectory } from '#tests/support/temporary-parley.ts';
import { backupDiskFull } from './faults/backup-disk-full.ts';
import { clockSteps } from './faults/clock-steps.ts';
import { connectionsExhausted } from './faults/connections-exhausted.ts';
import { databaseRestarts } from './faults/database-restarts.ts';
import { diskFull } from './faults/disk-full.ts';
import { emailServerDown } from './faults/email-server-down.ts';
import { answerHelp } from './usage.ts';

const faults: Readonly<Record<string, (directory: string) => Promise<string>>> = {
  'database-restarts': databaseRestarts,
  'connections-exhausted': connectionsExhausted,
  'disk-full': diskFull,
  'backup-disk-full': backupDiskFull,
  'clock-steps': clockSteps,
  'email-server-down': emailServerDown,
};

answerHelp(`bench/faults.ts [name …]

Causes real faults for a real Parley while members write. Each fault ends with the same checks: every acknowledged write
exists once, every count is correct, no member saw private data of others, and the server recovered on its own. Without
a name, all of them: ${Object.keys(faults).join(', ')}.

Some need root, for their own file system, and clock-steps needs libfaketime (Debian's package, or FAKETIME_LIBRARY with
its path).`);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in faults));
if (unknown.length > 0) {
  console.error(`Unknown fault ${unknown.join(', ')}; available: ${Object.keys(faults).join(', ')}.`);
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
