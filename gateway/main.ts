import { settings } from '../proto/settings.ts';
import { loadConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/log.ts';
import { startGateway } from './gateway.ts';

let logger = createLogger('gateway', 'info');

await runProcess(
  () => logger,
  () => {
    const config = loadConfig(settings, process.env, process.argv.slice(2));
    logger = createLogger('gateway', config.GSQ_LOG_LEVEL);
    return startGateway(config, logger);
  },
);
