import { join } from 'node:path';
import { pino } from 'pino';
import { Tokens } from '../../core/access/tokens.ts';
import { KeptKey } from '../../core/credentials/kept-key.ts';
import { ServerCredentials } from '../../core/credentials/server-credentials.ts';
import { FailureDetector } from '../../core/detector/failure-detector.ts';
import { Uplinks } from '../../core/detector/uplink.ts';
import { HistoryReader } from '../../core/history/history-reader.ts';
import type { HistoryStore } from '../../core/history/history-store.ts';
import { longestHoldMs } from '../../core/history/longest-hold.ts';
import type { LeaseReport } from '../../core/schedule/lease-report.ts';
import { ReportRecorder } from '../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../core/servers/server-changes.ts';
import { serverKey } from '../../core/servers/server-record.ts';
import { History } from '../../core/store/history/history.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../core/store/memory/embedded-server-store.ts';
import type { Clock } from '../core/clock.ts';
import { feedOf } from '../core/feed/feed-of.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** How long the history keeps samples, quarter-hour figures and daily figures by default, ms. */
export const RETENTION = { minutes: DAY, quarters: 30 * DAY, days: 365 * DAY };

/** Dependencies of `RecordedCore`, the simulated core. */
export interface RecordedCoreDependencies {
  readonly directory: string;
  readonly clock: Clock;
  /** Function that receives the samples of each finished hour before the history receives them. */
  readonly onSealed: HistoryStore['sealHour'];
}

/** The parts of a core that record and read the history, with a simulated clock. */
export class RecordedCore {
  readonly store: EmbeddedServerStore;
  readonly history: History;
  readonly recorder: ReportRecorder;
  readonly reader: HistoryReader;
  readonly #engine: LevelDbStore;
  readonly #uplinks: Uplinks;
  readonly #clock: Clock;

  private constructor(
    engine: LevelDbStore,
    store: EmbeddedServerStore,
    history: History,
    { clock, onSealed }: RecordedCoreDependencies,
  ) {
    this.store = store;
    this.history = history;
    this.#engine = engine;
    this.#clock = clock;
    this.#uplinks = new Uplinks(clock.at);
    this.recorder = new ReportRecorder({
      store,
      changes: new ServerChanges(),
      feed: feedOf(),
      probeIntervalMs: MINUTE,
      detector: new FailureDetector(10 * MINUTE),
      giveUpAfterProbes: 0,
      history: {
        sealHour(key, sealed) {
          onSealed(key, sealed);
          history.store.sealHour(key, sealed);
        },
        addOffline: (key, at, reason) => history.store.addOffline(key, at, reason),
        addOnline: (key, at) => history.store.addOnline(key, at),
      },
    });
    const retention = { samplesMs: RETENTION.minutes, quartersMs: RETENTION.quarters };
    this.reader = new HistoryReader({
      store: history.store,
      retention,
      longestHoldMs: longestHoldMs(MINUTE),
      now: clock.now,
    });
  }

  /** Opens the data directory of the simulated core, or creates it. */
  static async open(dependencies: RecordedCoreDependencies): Promise<RecordedCore> {
    const { directory, clock } = dependencies;
    const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => {
      throw error;
    });
    const history = History.open({
      directory: join(directory, 'history'),
      retention: RETENTION,
      longestHoldMs: longestHoldMs(MINUTE),
      now: clock.now,
      monotonic: clock.now,
      log: pino({ level: 'error' }),
      pagePauseMs: 0,
    });
    const store = await EmbeddedServerStore.load(engine, {
      now: clock.now,
      probeIntervalMs: MINUTE,
      leaseMs: 30_000,
      maxServers: 1_000_000,
      onRemove(keys) {
        history.store.remove(keys);
        return [];
      },
    });
    // Loads the tokens and credentials only because finishLoading() requires this. The simulation does not use them.
    await Tokens.load(engine, directory);
    await ServerCredentials.load(engine, directory, new KeptKey(directory));
    await engine.finishLoading();
    history.connectRecords(store);
    return new RecordedCore(engine, store, history, dependencies);
  }

  /**
   * Leases all servers that are due for a probe, and records the result of `probe` for each of them. Calls `onRecorded`
   * after each recorded result.
   */
  probeDue(probe: (key: string) => Omit<LeaseReport, 'leaseId'>, onRecorded: (key: string) => void): void {
    for (const { id, server } of this.store.leaseDue(1_000_000)) {
      const key = serverKey(server.gameId, server.address);
      const leased = this.store.leased(id);
      if (!leased) throw new Error(`the lease of ${key} is gone`);
      this.recorder.record({ ...probe(key), leaseId: id }, leased, this.#uplinks, this.#clock.at);
      onRecorded(key);
    }
  }

  /**
   * Writes all queued history data to disk, and computes the totals of finished days. A real core does this once a
   * minute.
   */
  async settle(): Promise<void> {
    await this.history.flush();
    await this.history.maintain();
  }

  /** Closes all parts of the simulated core in the same order as a core at shutdown. */
  async close(): Promise<void> {
    await this.history.close();
    await this.store.close();
    await this.#engine.close();
  }
}
