import { runCommand } from './cli.ts';
import { outliveTerminal } from './platform/signals.ts';

outliveTerminal();
process.exitCode = await runCommand(['serve', ...process.argv.slice(2)]);
