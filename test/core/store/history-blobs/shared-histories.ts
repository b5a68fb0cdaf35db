import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { bucketOfServer } from '../../../../core/cluster/buckets.ts';
import { addSample } from '../../../../core/history/add-sample.ts';
import type { HistoryStore, SealedHour } from '../../../../core/history/history-store.ts';
import { calendarHourOf, samplesOf, sealedHour } from '../../../../core/history/hour-coding.ts';
import type { KeptHistory } from '../../../../core/history/kept-history.ts';
import type { Sample } from '../../../../core/history/sample.ts';
import { type ChangedRecord, newRecord } from '../../../../core/servers/record-status.ts';
import type { BlobStore } from '../../../../core/store/history-blobs/blob-store.ts';
import type { EngineHistory } from '../../../../core/store/history-blobs/engine-history.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import {
  DAY,
  HOUR,
  hoursOf,
  LONGEST_HOLD,
  offlineAt,
  onlineAt,
  openHistory,
  RETENTION,
} from '../history/opened-history.ts';
import { openEngineHistory } from './opened-engine-history.ts';

const MINUTE = 60_000;
/**
 * Retention times of the compared histories. Samples are kept for four days, because a sample can arrive up to 39 hours
 * late. The history must then still have all other samples of the same day.
 */
export const retention = { ...RETENTION, minutes: 4 * DAY };

/** Compares what two histories say about a server from `from` until `now`. */
export async function compareHistories(
  store: HistoryStore,
  own: HistoryStore,
  key: string,
  from: number,
  now: number,
): Promise<void> {
  const to = now + HOUR;
  assert.deepEqual(await store.hours(key, from, to), await own.hours(key, from, to), 'hours');
  assert.deepEqual(await store.quarters(key, from, to), await own.quarters(key, from, to), 'quarters');
  assert.deepEqual(await store.days(key, from, to), await own.days(key, from, to), 'days');
  for (const before of [to, now - DAY])
    for (const limit of [3, 1_000])
      assert.deepEqual(
        await store.incidents(key, before, limit),
        await own.incidents(key, before, limit),
        'incidents',
      );
}

/** The storage engine of the simulation, which several cores share. */
export interface SharedBlobs {
  /**
   * Returns the interface with which one core reads and writes the history blobs (byte strings) in the shared storage
   * engine.
   */
  of(core: number): BlobStore;
  /** Makes a core the owner of a bucket (group of servers). The previous owner can no longer write to the bucket. */
  move(bucket: number, core: number): Promise<void>;
}

interface SimulatedServer {
  record: ChangedRecord;
  isOnline: boolean;
  /**
   * Writes to the history of this server that its core has not flushed yet. If the core crashes, these writes are lost,
   * and the simulation repeats them on the next core.
   */
  unconfirmed: ((history: KeptHistory) => void)[];
}

/**
 * Several cores that share a history, and a history on disk (`whole`) for comparison. At random times, a server is
 * probed, fails, is removed or inserted, or moves to another core.
 */
export class SharedHistories {
  readonly clock: ReturnType<typeof clockAt>;
  readonly servers: SimulatedServer[];
  readonly cores: EngineHistory[];
  readonly whole: KeptHistory;
  /** Directory with the files of `whole`, the history on disk. */
  readonly directory = scratchDirectory();
  readonly #shared: SharedBlobs;
  /** For each bucket of servers, the number of the core that owns the bucket. */
  readonly #owners = new Map<number, number>();
  readonly #below: (below: number) => number;
  /** Delayed writes to the history. `at`: time of the write. `write`: stores the samples of an hour. */
  #delayed: { at: number; write: () => void }[] = [];

  constructor(
    t: TestContext,
    shared: SharedBlobs,
    cores: number,
    keys: readonly string[],
    from: number,
    seed: number,
  ) {
    this.clock = clockAt(from);
    this.#shared = shared;
    this.#below = randomNumbers(seed);
    this.servers = keys.map(key => {
      const [gameId = '', address = ''] = key.split(' ');
      return { record: newRecord(gameId, address, 'admin', from, MINUTE), isOnline: true, unconfirmed: [] };
    });
    this.cores = Array.from({ length: cores }, (_, core) =>
      openEngineHistory(
        t,
        shared.of(core),
        this.clock,
        () => this.#keysOf(core),
        { retention },
        key => this.#openHourOf(key),
      ),
    );
    this.whole = openHistory(t, this.directory, this.clock, { retention });
    this.whole.connectRecords({
      holds: 0,
      buckets: undefined,
      writeHeld() {},
      sealOpenHours: async (before, seal) => {
        for (const { record } of this.servers)
          if (record.openHour.length > 0 && calendarHourOf(record.openHour) < before)
            await seal(record.key, sealedHour(Buffer.from(record.openHour)));
      },
    });
  }

  /**
   * Simulates `ms` milliseconds. Once an hour, all cores write their queued history data, and roll up (summarise) the
   * days that have ended.
   */
  async simulate(ms: number): Promise<void> {
    const end = this.clock.at + ms;
    for (; this.clock.at < end; this.clock.at += MINUTE) {
      for (const server of this.servers) this.#probe(server);
      this.#sealDelayed();
      if (this.#below(120) === 0) await this.#move();
      if (this.clock.at % HOUR !== 0) continue;
      await this.flush();
      await this.whole.maintain();
      for (const core of this.cores) await core.maintain();
    }
    await this.flush();
  }

  /** Makes the histories of all cores, and the history on disk (`whole`), write their queued entries. */
  async flush(): Promise<void> {
    await this.whole.flush();
    for (const [core, history] of this.cores.entries()) {
      await history.flush();
      for (const server of this.servers) if (this.#ownerOf(server) === core) server.unconfirmed = [];
    }
  }

  /**
   * Compares the history of a server on every core with the history in `own`, from the time `from` until now. By
   * default, `own` is the history on disk.
   */
  async compare(server: SimulatedServer, from: number, own = this.whole.store): Promise<void> {
    const { at } = this.clock;
    for (const { store } of this.cores) await compareHistories(store, own, server.record.key, from, at);
  }

  #ownerOf({ record }: SimulatedServer): number {
    return this.#owners.get(bucketOfServer(record.key)) ?? 0;
  }

  #keysOf(core: number): string[] {
    return this.servers.filter(server => this.#ownerOf(server) === core).map(({ record }) => record.key);
  }

  #openHourOf(key: string): Uint8Array {
    return this.servers.find(({ record }) => record.key === key)?.record.openHour ?? new Uint8Array();
  }

  /**
   * Moves a random bucket of servers to a random core. In half of the cases, all cores flush their history before the
   * move. In the other half, the unflushed writes of the old owner are lost, so the test repeats them on the new one.
   */
  async #move(): Promise<void> {
    const server = this.servers[this.#below(this.servers.length)] as SimulatedServer;
    const bucket = bucketOfServer(server.record.key);
    if (this.#below(2) === 0) await this.flush();
    const core = this.#below(this.cores.length);
    if (core === this.#ownerOf(server)) return;
    await this.#shared.move(bucket, core);
    this.#owners.set(bucket, core);
    const history = this.cores[core] as EngineHistory;
    for (const each of this.servers) {
      if (bucketOfServer(each.record.key) !== bucket) continue;
      for (const write of each.unconfirmed) write(history);
    }
  }

  #write(server: SimulatedServer, write: (history: KeptHistory) => void): void {
    write(this.cores[this.#ownerOf(server)] as EngineHistory);
    write(this.whole);
    server.unconfirmed.push(write);
  }

  #probe(server: SimulatedServer): void {
    const { at } = this.clock;
    const { key } = server.record;
    if (this.#below(8_000) === 0) {
      this.#write(server, ({ store }) => store.remove([key]));
      server.record = newRecord(server.record.gameId, server.record.address, 'admin', at, MINUTE);
    }
    if (this.#below(100) === 0) {
      server.isOnline = !server.isOnline;
      const { isOnline } = server;
      this.#write(server, ({ store }) =>
        isOnline ? store.addOnline(key, at) : store.addOffline(key, at, 'no_reply'),
      );
    }
    // Leaves out one probe in eight at random. Some servers also get no probe in the first two of every five hours.
    if (this.#below(8) === 0 || (at % (5 * HOUR) < 2 * HOUR && key.endsWith('7'))) return;
    const sealed = addSample(server.record, this.#sample(server.isOnline));
    if (sealed) this.#seal(server, sealed);
  }

  /**
   * Stores the samples of one hour. In 1 of 20 calls, stores them later: after up to 39 hours. Sometimes stores the
   * first one to ten samples a second time.
   */
  #seal(server: SimulatedServer, sealed: SealedHour): void {
    const { key } = server.record;
    const write = () => this.#write(server, ({ store }) => store.sealHour(key, sealed));
    if (this.#below(20) === 0) {
      this.#delayed.push({ at: this.clock.at + this.#below(40) * HOUR, write });
      return;
    }
    write();
    const [shorter] = hoursOf(key, samplesOf(sealed).slice(0, 1 + this.#below(10)));
    if (shorter && this.#below(10) === 0) this.#write(server, ({ store }) => store.sealHour(key, shorter));
  }

  /** Takes the delayed writes that are due now out of `#delayed`, and applies them. */
  #sealDelayed(): void {
    const due = this.#delayed.filter(({ at }) => at <= this.clock.at);
    this.#delayed = this.#delayed.filter(each => !due.includes(each));
    for (const { write } of due) write();
  }

  #sample(isOnline: boolean): Sample {
    const { at } = this.clock;
    return isOnline ? onlineAt(at, this.#below(30)) : { ...offlineAt(at), holdMs: LONGEST_HOLD };
  }
}
