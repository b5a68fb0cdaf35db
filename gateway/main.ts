import { setFlagsFromString } from 'node:v8';
import { settings } from '../proto/settings.ts';
import { loadConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/log.ts';
import { startGateway } from './gateway.ts';

// V8 lets the heap of a process this small grow to several times what is alive in it, and an idle process keeps it. Collecting
// when it has grown by a third costs nothing that can be measured (docs/performance.md).
setFlagsFromString('--heap-growing-percent=30');

let logger = createLogger('gateway', 'info');

await runProcess(
  () => logger,
  () => {
    const config = loadConfig(settings, process.env, process.argv.slice(2));
    logger = createLogger('gateway', config.GSQ_LOG_LEVEL);
    return startGateway(config, logger);
  },
);
