import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Catalog } from './catalog/catalog.ts';
import type { Dispatcher } from './schedule/dispatcher.ts';
import type { InsertGuard } from './servers/insert-guard.ts';
import type { ServerStore } from './servers/server-store.ts';
import type { Unproven } from './servers/unproven.ts';

const LAG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export interface CoreMetricsParts {
  store: ServerStore;
  dispatcher: Dispatcher;
  catalog: Catalog;
  unproven: Unproven;
  guard: InsertGuard;
}

/** What the core's ops endpoint shows; every figure is read when it is asked for. */
export function coreMetrics({ store, dispatcher, catalog, unproven, guard }: CoreMetricsParts): Registry {
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
    name: 'gsq_servers_unproven',
    help: 'Tracked servers that never answered a probe.',
    registers,
    collect() {
      this.set(unproven.size);
    },
  });
  new Counter({
    name: 'gsq_inserts_refused_total',
    help: 'Servers that were not inserted because of the limits of a token, an address, a network or all.',
    registers,
    collect() {
      this.reset();
      this.inc(guard.refusals);
    },
  });
  new Counter({
    name: 'gsq_servers_forgotten_total',
    help: 'Servers that were given up: never answered, or not for a month.',
    registers,
    collect() {
      this.reset();
      this.inc(dispatcher.forgotten);
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
  const lag = new Histogram({
    name: 'gsq_schedule_lag_seconds',
    help: 'How long after it was due a probe was given to a prober.',
    buckets: LAG_BUCKETS,
    registers,
  });
  dispatcher.watchLag(seconds => lag.observe(seconds));
  new Gauge({
    name: 'gsq_schedule_frozen',
    help: '1 while failed probes are ignored, because a prober seems to be cut off.',
    registers,
    collect() {
      this.set(dispatcher.frozen ? 1 : 0);
    },
  });
  new Counter({
    name: 'gsq_probes_ignored_total',
    help: 'Failed probes that were ignored, because the prober seemed to be cut off.',
    registers,
    collect() {
      this.reset();
      this.inc(dispatcher.ignored);
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
