import { runProcess } from '../runtime/lifecycle.ts';
import { createEarlyLogger, createLogger, type Logger } from '../runtime/log.ts';
import { configOrPrint } from '../runtime/print-config.ts';
import { settings } from '../runtime/settings.ts';
import { shortenSlice } from '../runtime/thread-slice.ts';
import { startCore } from './core.ts';
import { checkAlone } from './core-settings.ts';

let log: Logger = createEarlyLogger('core');

await runProcess(
  () => log,
  async () => {
    const config = configOrPrint(settings, checkAlone);
    if (!config) return undefined;
    log = createLogger('core', config.GSQ_LOG_LEVEL, config.GSQ_LOG_FORMAT);
    const running = await startCore(config, log, Date.now);
    void shortenSlice();
    return running;
  },
);
