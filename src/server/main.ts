import { runCommand } from './cli.ts';
import { ignoreHangup } from './platform/signals.ts';

ignoreHangup();
process.exitCode = await runCommand(['serve', ...process.argv.slice(2)]);
