import type { Registry } from 'prom-client';
import { processMetrics, ReadMetrics } from '../runtime/process-metrics.ts';
import type { CoreServices } from './open-services.ts';
import { callMetrics } from './ops/call-metrics.ts';
import { historyMetrics } from './ops/history-metrics.ts';
import { probeMetrics } from './ops/probe-metrics.ts';
import { serverMetrics } from './ops/server-metrics.ts';
import { storeMetrics } from './ops/store-metrics.ts';
import { webhookMetrics } from './ops/webhook-metrics.ts';

/**
 * Creates all metrics of the core. Each scrape by Prometheus reads the current values. `maxServers`: value of
 * GSQ_MAX_SERVERS.
 */
export function coreMetrics(services: CoreServices, maxServers: number): Registry {
  const registry = processMetrics();
  const read = new ReadMetrics(registry);
  serverMetrics(read, services, maxServers);
  probeMetrics(registry, read, services);
  callMetrics(registry, services.journals);
  storeMetrics(registry, read, services);
  historyMetrics(read, services);
  webhookMetrics(read, services);
  return registry;
}
