import { runProcess } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/log.ts';
import { configOrPrint } from '../runtime/print-config.ts';
import { settings } from '../runtime/settings.ts';
import { checkAlone, startGateway } from './gateway.ts';

let logger = createLogger('gateway', 'info');

await runProcess(
  () => logger,
  async () => {
    const config = configOrPrint(settings, checkAlone);
    if (!config) return undefined;
    logger = createLogger('gateway', config.GSQ_LOG_LEVEL);
    return startGateway(config, logger);
  },
);
