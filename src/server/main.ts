import { runCommand } from './cli.ts';

process.exitCode = await runCommand(['serve', ...process.argv.slice(2)]);
