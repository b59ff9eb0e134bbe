import { runCommand } from './cli.ts';
import { ignoreHangup } from './core/signals.ts';

ignoreHangup();
process.exitCode = await runCommand(['serve', ...process.argv.slice(2)]);
