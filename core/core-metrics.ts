import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Catalog } from './catalog/catalog.ts';
import type { Dispatcher } from './schedule/dispatcher.ts';
import type { ServerStore } from './servers/server-store.ts';

/** What the core's ops endpoint shows; every figure is read when it is asked for. */
export function coreMetrics(store: ServerStore, dispatcher: Dispatcher, catalog: Catalog): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gsq_servers',
    help: 'Tracked servers by status.',
    labelNames: ['status'],
    registers,
    collect() {
      const { pending, online, offline } = store.stats();
      this.set({ status: 'pending' }, pending);
      this.set({ status: 'online' }, online);
      this.set({ status: 'offline' }, offline);
    },
  });
  new Gauge({
    name: 'gsq_leases',
    help: 'Probes given out and not reported yet.',
    registers,
    collect() {
      this.set(store.stats().leased);
    },
  });
  new Gauge({
    name: 'gsq_probers',
    help: 'Probers in session.',
    registers,
    collect() {
      this.set(dispatcher.probers);
    },
  });
  new Counter({
    name: 'gsq_catalog_refresh_failures_total',
    help: 'Refreshes of the catalog that failed; the last good catalog stayed.',
    registers,
    collect() {
      this.reset();
      this.inc(catalog.refreshFailures);
    },
  });
  return registry;
}
