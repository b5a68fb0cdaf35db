import { settings } from '../proto/settings.ts';
import { type Config, loadConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogger, type Logger } from '../runtime/log.ts';
import { startProber } from './prober.ts';

let log: Logger = createLogger('prober', 'info');

await runProcess(
  () => log,
  async () => {
    const config: Config<typeof settings> = loadConfig(settings, process.env, process.argv.slice(2));
    log = createLogger('prober', config.GSQ_LOG_LEVEL);
    return startProber(config, log);
  },
);
