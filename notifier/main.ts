import { runProcess } from '../runtime/lifecycle.ts';
import { createEarlyLogger, createLogger, type Logger } from '../runtime/log.ts';
import { configOrPrint } from '../runtime/print-config.ts';
import { settings } from '../runtime/settings.ts';
import { checkAlone, startNotifier } from './notifier.ts';

let log: Logger = createEarlyLogger('notifier');

await runProcess(
  () => log,
  async () => {
    const config = configOrPrint(settings, checkAlone);
    if (!config) return undefined;
    log = createLogger('notifier', config.GSQ_LOG_LEVEL, config.GSQ_LOG_FORMAT);
    return startNotifier(config, log);
  },
);
