import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import { Uplinks } from '../../../core/detector/uplink.ts';
import type { SealedHour } from '../../../core/history/history-store.ts';
import { longestHoldMs } from '../../../core/history/longest-hold.ts';
import { ReportRecorder } from '../../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { History } from '../../../core/store/history/history.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import type { ReportedPayload } from '../../../proto/codec/reported-payload.ts';
import { type Clock, clockAt } from '../../core/clock.ts';
import { feedOf } from '../../core/feed/feed-of.ts';
import { payloadOf } from '../../core/payload-of.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { RETENTION } from '../recorded-core.ts';
import { firstPlayers, MOST_PLAYERS, nextPlayers } from './player-walk.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Options of `ProbedServers.open`. `beginAt`: start time of the simulated clock, Unix ms. */
export interface ProbedServersOptions {
  readonly directory: string;
  readonly servers: number;
  readonly withHistory: boolean;
  readonly beginAt: number;
}

/** Returns one payload for each possible number of players. */
function payloadsByPlayers(): ReportedPayload[] {
  return Array.from({ length: MOST_PLAYERS + 1 }, (_, players) => {
    const playerList = Array.from({ length: players }, (_, i) => ({
      name: `player ${i}`,
      score: i,
      time: 60 + i,
    }));
    return payloadOf({ players, maxplayers: MOST_PLAYERS, playerList });
  });
}

/**
 * Simulated servers that are always online. The results of their probes go to gsq's own recorder, store and history.
 * The same options always give the same probes.
 */
export class ProbedServers {
  readonly clock: Clock;
  readonly history: History | undefined;
  /**
   * Counters: reported probes, probes that the recorder applied, server records written to LevelDB, and hours of
   * samples passed to the history.
   */
  readonly counts = { probes: 0, recorded: 0, recordWrites: 0, sealed: 0 };
  readonly #engine: LevelDbStore;
  readonly #store: EmbeddedServerStore;
  readonly #recorder: ReportRecorder;
  readonly #uplinks: Uplinks;
  readonly #payloads = payloadsByPlayers();
  readonly #below = randomNumbers(1);
  readonly #players = new Map<string, number>();

  private constructor(
    clock: Clock,
    engine: LevelDbStore,
    store: EmbeddedServerStore,
    history: History | undefined,
  ) {
    this.clock = clock;
    this.history = history;
    this.#engine = engine;
    this.#store = store;
    this.#uplinks = new Uplinks(clock.at);
    engine.watchWrites(({ operations }) => {
      this.counts.recordWrites += operations;
    });
    history?.connectRecords(store);
    this.#recorder = new ReportRecorder({
      store,
      changes: new ServerChanges(),
      feed: feedOf(),
      probeIntervalMs: MINUTE,
      detector: new FailureDetector(10 * MINUTE),
      giveUpAfterProbes: 3,
      history: history && {
        sealHour: (key, hour) => this.#sealHour(history, key, hour),
        addOffline: history.store.addOffline.bind(history.store),
        addOnline: history.store.addOnline.bind(history.store),
      },
      onRecorded: () => {
        this.counts.recorded++;
      },
    });
  }

  static async open(options: ProbedServersOptions): Promise<ProbedServers> {
    const { directory, servers, withHistory, beginAt } = options;
    const clock = clockAt(beginAt);
    const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => {
      throw error;
    });
    const store = await EmbeddedServerStore.load(engine, {
      now: clock.now,
      probeIntervalMs: MINUTE,
      leaseMs: 30 * SECOND,
      maxServers: servers,
    });
    const history = withHistory
      ? History.open({
          directory: join(directory, 'history'),
          retention: RETENTION,
          longestHoldMs: longestHoldMs(MINUTE),
          now: clock.now,
          monotonic: clock.now,
          log: pino({ level: 'warn' }, pino.destination(2)),
          pagePauseMs: 0,
        })
      : undefined;
    return new ProbedServers(clock, engine, store, history);
  }

  /** Inserts simulated servers, whose first probes are due at once. */
  async insert(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) this.#players.set(address, firstPlayers(this.#below));
    const inserted = addresses.map(address => ({ gameId: 'csgo', address, insertedBy: 'tok_1' }));
    await this.#store.insertIfAbsent(inserted);
  }

  /** Probes all simulated servers whose next probe is due. */
  probeDue(): void {
    for (const { id, server } of this.#store.leaseDue(this.#players.size)) {
      const leased = this.#store.leased(id);
      if (!leased) throw new Error(`the lease of ${server.address} is gone`);
      const players = nextPlayers(this.#players.get(server.address) ?? 0, this.#below);
      this.#players.set(server.address, players);
      const report = { leaseId: id, outcome: 'PROBE_OUTCOME_ONLINE', queryPort: 27015 } as const;
      const payload = this.#payloads[players] ?? null;
      this.counts.probes++;
      this.#recorder.record({ ...report, payload }, leased, this.#uplinks, this.clock.at);
    }
  }

  /** Writes all queued data. At each full minute of the clock, also runs the maintenance of the history. */
  async settle(): Promise<void> {
    await nextTurn();
    await this.history?.flush();
    if (this.clock.at % MINUTE === 0) await this.history?.maintain();
  }

  async close(): Promise<void> {
    await this.history?.close();
    await this.#store.close();
    await this.#engine.close();
  }

  #sealHour(history: History, key: string, hour: SealedHour): void {
    this.counts.sealed++;
    history.store.sealHour(key, hour);
  }
}
