import { readConfig } from '#server/core/config.ts';
import { createLogger } from '#server/core/log.ts';
import { ignoreHangup } from '#server/core/signals.ts';
import { serve } from '#server/serve.ts';
import { cheapPasswordCost } from './cheap-passwords.ts';

// The server with cheap password hashes. An operator cannot configure this.
ignoreHangup();
const config = readConfig();
const log = createLogger(config.logLevel, config.nodeName);
await serve({ config, log, demo: process.argv.includes('--demo'), passwordCost: cheapPasswordCost });
