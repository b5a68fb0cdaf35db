import { join } from 'node:path';
import { pino } from 'pino';
import { startCore } from '../../core/core.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';

/** Starts a core on free loopback ports. `environment`: additional settings. */
export function startedCore(directory: string, environment: Record<string, string> = {}) {
  const base = {
    GSQ_GRPC_ADDR: '127.0.0.1:0',
    GSQ_INTERNAL_ADDR: '127.0.0.1:0',
    GSQ_CORE_OPS_ADDR: '127.0.0.1:0',
    GSQ_DATA_DIR: join(directory, 'data'),
    GSQ_CATALOG: 'catalog.json',
    GSQ_DNS_SERVERS: '127.0.0.1:1',
  };
  const config = loadConfig(settings, { ...base, ...environment }, []);
  return startCore(config, pino({ level: 'silent' }), Date.now);
}
