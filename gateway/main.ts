import { runProcess } from '../runtime/lifecycle.ts';
import { createEarlyLogger, createLogger } from '../runtime/log.ts';
import { configOrPrint } from '../runtime/print-config.ts';
import { settings } from '../runtime/settings.ts';
import { shortenSlice } from '../runtime/thread-slice.ts';
import { checkAlone, startGateway } from './gateway.ts';

let logger = createEarlyLogger('gateway');

await runProcess(
  () => logger,
  async () => {
    const config = configOrPrint(settings, checkAlone);
    if (!config) return undefined;
    logger = createLogger('gateway', config.GSQ_LOG_LEVEL, config.GSQ_LOG_FORMAT);
    const running = await startGateway(config, logger);
    void shortenSlice();
    return running;
  },
);
