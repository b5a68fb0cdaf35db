import type { TestContext } from 'node:test';
import { addSample } from '../../../core/history/add-sample.ts';
import { calendarHourOf, sealedHour } from '../../../core/history/hour-coding.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { type ChangedRecord, newRecord } from '../../../core/servers/record-status.ts';
import type { History } from '../../../core/store/history/history.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { DAY, HOUR, offlineAt, onlineAt, openHistory } from '../store/history/opened-history.ts';

/** Time at which the simulation begins: a Monday, 00:00 UTC. */
export const START = Date.UTC(2026, 4, 18);
const MINUTE = 60_000;
const SERVERS = 5;

/** A server that moves from one core to another one. */
interface MovingServer {
  record: ChangedRecord;
  /** Number of the core that owns the server. */
  owner: number;
  isOnline: boolean;
  /** Times at which the server moved, Unix ms. */
  readonly moves: number[];
}

/** The histories of several cores, and one history that stores everything. */
export class MovingServers {
  readonly clock = clockAt(START);
  readonly servers: MovingServer[];
  readonly cores: History[];
  readonly whole: History;
  readonly #below: (below: number) => number;

  constructor(t: TestContext, cores: number, seed: number) {
    this.#below = randomNumbers(seed);
    this.servers = Array.from({ length: SERVERS }, (_, i) => ({
      record: newRecord('csgo', `203.0.113.${i}:27015`, 'admin', START, MINUTE),
      owner: this.#below(cores),
      isOnline: true,
      moves: [],
    }));
    this.cores = Array.from({ length: cores }, (_, i) => this.#open(t, ({ owner }) => owner === i));
    this.whole = this.#open(t, () => true);
  }

  /**
   * Simulates a time, ms. Probes each server once a minute, with pauses, and moves servers at random. Each day, all cores
   * roll up the day before. The last core does this 18 hours later than the others.
   */
  async simulate(ms: number): Promise<void> {
    const end = this.clock.at + ms;
    for (; this.clock.at < end; this.clock.at += MINUTE) {
      for (const server of this.servers) this.#probe(server);
      if (this.clock.at % DAY === 5 * HOUR)
        for (const history of [this.whole, ...this.cores.slice(0, -1)]) await history.maintain();
      if (this.clock.at % DAY === 23 * HOUR) await this.cores.at(-1)?.maintain();
      if (this.clock.at % HOUR === 0)
        for (const history of [this.whole, ...this.cores]) await history.flush();
    }
  }

  #open(t: TestContext, isOwn: (server: MovingServer) => boolean): History {
    const history = openHistory(t, scratchDirectory(), this.clock);
    history.connectRecords({
      writeHeld: () => {},
      sealOpenHours: async (before, seal) => {
        for (const { record } of this.servers.filter(isOwn)) {
          const { key, openHour } = record;
          if (openHour.length > 0 && calendarHourOf(openHour) < before)
            await seal(key, sealedHour(Buffer.from(openHour)));
        }
      },
    });
    return history;
  }

  #probe(server: MovingServer): void {
    const { at } = this.clock;
    if (this.#below(500) === 0) {
      server.owner = this.#below(this.cores.length);
      server.moves.push(at);
    }
    const owner = this.cores[server.owner] as History;
    if (this.#below(100) === 0) {
      server.isOnline = !server.isOnline;
      const { key } = server.record;
      for (const { store } of [owner, this.whole])
        if (server.isOnline) store.addOnline(key, at);
        else store.addOffline(key, at, 'no_reply');
    }
    // One probe in eight is missing, so that there are gaps between samples.
    if (this.#below(8) === 0) return;
    const sealed = addSample(server.record, this.#sample(server.isOnline));
    if (!sealed) return;
    owner.store.sealHour(server.record.key, sealed);
    this.whole.store.sealHour(server.record.key, sealed);
  }

  #sample(isOnline: boolean): Sample {
    return isOnline ? onlineAt(this.clock.at, this.#below(30)) : offlineAt(this.clock.at);
  }
}
