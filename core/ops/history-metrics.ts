import type { ReadMetrics } from '../../runtime/process-metrics.ts';
import type { HistoryCounters, KeptHistory } from '../history/kept-history.ts';
import type { DataDirectory } from './data-directory.ts';

/** The objects from which `historyMetrics` reads the values of the metrics. */
export interface HistoryMetricsDependencies {
  history: Pick<KeptHistory, 'counters'>;
  /**
   * Measures the size of the history directory. Undefined if the history is not in a directory but in a shared storage
   * engine.
   */
  historyData: DataDirectory | undefined;
}

/** Adds the metrics of the history: its size, its number of writes, and the number of writes that were lost. */
export function historyMetrics(
  read: ReadMetrics,
  { history, historyData }: HistoryMetricsDependencies,
): void {
  if (historyData)
    read.gauge(
      'gsq_history_bytes',
      'Total size of all files of the history.',
      async () => (await historyData.usage()).used,
    );
  const gauges = [
    ['directories', 'gsq_history_directories', 'LevelDB directories of the history.'],
    ['queued', 'gsq_history_queued_writes', 'Writes of the history that are not durable yet.'],
  ] as const satisfies readonly [keyof HistoryCounters, string, string][];
  for (const [key, name, help] of gauges) read.gauge(name, help, () => history.counters[key]);
  const counters = [
    ['written', 'gsq_history_writes_total', 'Hours, incidents and removals that were stored.'],
    ['late', 'gsq_history_late_chunks_total', 'Hours that were stored after their day was rolled up.'],
    ['rolledUp', 'gsq_history_roll_ups_total', 'Days of servers that were rolled up.'],
    ['failures', 'gsq_history_write_errors_total', 'Batches that could not be written and are tried again.'],
    ['dropped', 'gsq_history_dropped_writes_total', 'Writes that were lost because the queue was full.'],
    [
      'corrupt',
      'gsq_history_corrupt_entries_total',
      'Entries that did not match their checksum when they were read.',
    ],
    [
      'damaged',
      'gsq_history_damaged_directories_total',
      'Directories, or strings in Redis or Valkey, that were moved aside because they are damaged.',
    ],
  ] as const satisfies readonly [keyof HistoryCounters, string, string][];
  for (const [key, name, help] of counters) read.counter(name, help, () => history.counters[key]);
}
