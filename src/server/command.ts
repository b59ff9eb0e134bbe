import { runCommand } from './cli.ts';
import { outliveTerminal } from './platform/signals.ts';

outliveTerminal();
process.exitCode = await runCommand(process.argv.slice(2));
