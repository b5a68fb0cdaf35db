import { runProcess } from '../runtime/lifecycle.ts';
import { createEarlyLogger, createLogger, type Logger } from '../runtime/log.ts';
import { configOrPrint } from '../runtime/print-config.ts';
import { settings } from '../runtime/settings.ts';
import { checkAlone, startProber } from './prober.ts';

let log: Logger = createEarlyLogger('prober');

await runProcess(
  () => log,
  async () => {
    const config = configOrPrint(settings, checkAlone);
    if (!config) return undefined;
    log = createLogger('prober', config.GSQ_LOG_LEVEL, config.GSQ_LOG_FORMAT);
    return startProber(config, log);
  },
);
