import type { Registry } from 'prom-client';
import { PlainHistogram } from '../../runtime/plain-histogram.ts';
import type { ReadMetrics } from '../../runtime/process-metrics.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import type { StoreSupervisor } from '../store/store-supervisor.ts';
import type { CorruptEntries } from './corrupt-entries.ts';
import type { DataDirectory } from './data-directory.ts';

/** Upper bounds of the buckets in the histogram of write durations, s. */
const WRITE_BUCKETS = [0.00025, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

/** Objects from which the store metrics read their values. */
export interface StoreMetricsDependencies {
  store: ServerStore;
  engine: Pick<StorageEngine, 'watchWrites' | 'fencedWrites'>;
  /**
   * Which cores share the store, and which buckets (groups of servers) this core owns. Undefined for the embedded store
   * of a single core.
   */
  ownership: (Pick<Ownership, 'members'> & { ownedBuckets: number }) | undefined;
  data: DataDirectory;
  supervisor: Pick<StoreSupervisor, 'writeErrors' | 'recoveries'>;
  corrupt: Pick<CorruptEntries, 'count'>;
}

/** Adds the metrics of the store: its health, its size on disk, and its writes. */
export function storeMetrics(
  registry: Registry,
  read: ReadMetrics,
  dependencies: StoreMetricsDependencies,
): void {
  const { store, engine, ownership, data, supervisor, corrupt } = dependencies;
  read.gauge(
    'gsq_store_writable',
    '1 while the store accepts writes. 0 while it refuses them: inserts fail, and fetches are still answered from memory.',
    () => (store.writable ? 1 : 0),
  );
  read.gauge(
    'gsq_store_bytes',
    'Total size of all files in the data directory.',
    async () => (await data.usage()).used,
  );
  read.gauge(
    'gsq_store_disk_free_bytes',
    'Free space on the file system of the data directory.',
    async () => (await data.usage()).free,
  );
  read.gauge(
    'gsq_store_disk_size_bytes',
    'Size of the file system of the data directory.',
    async () => (await data.usage()).size,
  );
  writeMetrics(registry, read, engine);
  read.counter('gsq_store_write_errors_total', 'Failed writes of the store.', () => supervisor.writeErrors);
  read.counter(
    'gsq_store_recoveries_total',
    'Number of times that the store was reopened after a failed write.',
    () => supervisor.recoveries,
  );
  read.counter(
    'gsq_store_fenced_writes_total',
    'Writes that Redis or Valkey refused because a different core has become the owner of their bucket. 0 with the embedded store.',
    () => engine.fencedWrites ?? 0,
  );
  if (ownership) {
    read.gauge(
      'gsq_cluster_members',
      'Cores with the same store whose lease has not ended. Absent with the embedded store.',
      () => ownership.members.length,
    );
    read.gauge(
      'gsq_cluster_buckets',
      'Buckets of the store that this core owns, out of 4160. Absent with the embedded store.',
      () => ownership.ownedBuckets,
    );
  }
  read.counter(
    'gsq_store_inserts_refused_total',
    'Servers that were not inserted because the store accepted no writes.',
    () => store.refused,
  );
  read.counter(
    'gsq_store_corrupt_entries_total',
    'Stored entries (usage of tokens, given-up servers) that did not match their checksum at the start and were dropped.',
    () => corrupt.count,
  );
}

function writeMetrics(
  registry: Registry,
  read: ReadMetrics,
  engine: Pick<StorageEngine, 'watchWrites'>,
): void {
  const seconds = new PlainHistogram({
    name: 'gsq_store_write_seconds',
    help: 'Duration of a group of writes. sync is true if the group was made durable at once, as for inserts and tokens.',
    labelNames: ['sync'],
    buckets: WRITE_BUCKETS,
    registry,
  });
  const synced = seconds.series('true');
  const unsynced = seconds.series('false');
  let records = 0;
  engine.watchWrites(write => {
    (write.sync ? synced : unsynced).addSample(write.seconds);
    records += write.operations;
  });
  read.counter('gsq_store_written_records_total', 'Records that were written or deleted.', () => records);
}
