import { readConfig } from '#server/platform/config.ts';
import { createLog } from '#server/platform/log.ts';
import { outliveTerminal } from '#server/platform/signals.ts';
import { serve } from '#server/serve.ts';
import { quickPasswords } from './quick-passwords.ts';

// The server with passwords that cost next to nothing. No configuration of an operator leads here.
outliveTerminal();
const config = readConfig();
const log = createLog(config.logLevel, config.nodeName);
await serve({ config, log, demo: process.argv.includes('--demo'), passwordCost: quickPasswords });
