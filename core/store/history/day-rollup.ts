import type { SealedHour } from '../../history/history-store.ts';
import type { BinaryEntry, LevelDb, LevelOperation } from '../leveldb/leveldb.ts';
import type { HistoryDirectories } from './history-directories.ts';
import {
  daysKey,
  decodeTime,
  FIRST_HASH,
  hashIn,
  lateKey,
  lateRange,
  nextHash,
  openEntry,
  ROLLED_KEY,
  sealEntry,
  slotKey,
  slotRange,
} from './history-entries.ts';
import { DAY_MS, HOUR_MS, type Period, periodOf, periodsBetween, REMOVED } from './periods.ts';
import { rollUpDay } from './server-days.ts';

/**
 * Number of entries that a roll-up (computation of daily figures) reads at a time for each calendar hour. An entry
 * contains the samples of one server in this hour.
 */
const PAGE = 128;
/**
 * Number of servers whose daily figures are computed (rolled up) in one turn of the event loop. Such a turn takes
 * about 4 ms.
 */
const SERVERS_AT_A_TIME = 6;

/** Dependencies of `DayRollup` (computes the daily figures of servers). */
export interface DayRollupDependencies {
  directories: HistoryDirectories;
  /**
   * True if stored samples of a calendar hour can be missing: they were deleted because of their age, or their
   * directory was damaged.
   */
  isMissing: (hour: number) => boolean;
  /**
   * The roll-up (computation of the figures) of a day also reads the samples of this many hours before the day. A
   * sample from these hours can show the status of a server at the start of the day (longest-hold.ts).
   */
  hoursBefore: number;
  onCorrupt: () => void;
  /**
   * Makes a pause, so that other work gets CPU time. A roll-up (computation of daily figures) calls this function
   * after each group of servers. Rejects if the history closes.
   */
  pause: () => Promise<void>;
}

/** The samples of one server from which its figures of a day are computed. `hash`: keyed hash of the `serverKey`. */
interface Server {
  readonly hash: Buffer;
  readonly hours: SealedHour[];
}

/**
 * A calendar hour, and the place where its samples are stored. `hour`: start of the hour, Unix ms. `path`: a directory
 * that contains the samples of six hours. `slot`: index of this hour among the six, from 0 to 5.
 */
interface HourSlot {
  readonly hour: number;
  readonly slot: number;
  readonly path: string;
}

/**
 * Rolls up a day: computes uptime and player figures of each server for the day and its quarter hours. Samples from
 * before the day can affect its figures, so the samples of some earlier hours are read too.
 */
export class DayRollup {
  readonly #dependencies: DayRollupDependencies;
  #servers = 0;

  constructor(dependencies: DayRollupDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of daily summaries computed so far (roll-ups). Each day of each server counts as one. */
  get servers(): number {
    return this.#servers;
  }

  /**
   * Rolls up a day (computes its figures) for all servers that have samples in this day. A second call for the same
   * day gives the same result.
   */
  async rollUpAll(day: number): Promise<void> {
    const slots = this.#hourSlots(day);
    let from: Buffer | undefined = FIRST_HASH;
    while (from !== undefined) {
      const { servers, next }: { servers: Server[]; next: Buffer | undefined } = await this.#readPage(
        slots,
        from,
      );
      await this.#rollUp(day, servers);
      from = next;
      await this.#dependencies.pause();
    }
  }

  /**
   * Marks the samples in the directory `path` as rolled up (included in the daily figures). The mark is an entry in
   * this directory.
   */
  markRolled(path: string): Promise<void> {
    const value = sealEntry(ROLLED_KEY, Buffer.alloc(0));
    return this.#dependencies.directories.write(path, db =>
      db.writeDurably([{ type: 'put', key: ROLLED_KEY, value }]),
    );
  }

  /**
   * True if the samples in the directory `path` have the mark of `markRolled`: they are rolled up (included in the
   * daily figures).
   */
  async isRolled(path: string): Promise<boolean> {
    const [mark] = (await this.#dependencies.directories.read(path, db => db.getMany([ROLLED_KEY]))) ?? [];
    return mark !== undefined;
  }

  /**
   * Computes daily figures again (a second roll-up) for the servers with late samples: samples that were stored after
   * the figures of their day were computed. `path`: directory that contains the late samples.
   */
  async rollUpLate({ path }: Period, days: readonly number[]): Promise<void> {
    const [from, to] = lateRange();
    const { directories, pause } = this.#dependencies;
    for (;;) {
      const late = (await directories.read(path, db => db.readRange(from, to, PAGE))) ?? [];
      if (late.length === 0) return;
      const hashes = late.map(([key]) => hashIn(key));
      for (const day of days) await this.#rollUp(day, await this.#readServers(this.#hourSlots(day), hashes));
      const done = hashes.map((hash): LevelOperation => ({ type: 'del', key: lateKey(hash) }));
      await directories.write(path, db => db.writeDurably(done));
      await pause();
    }
  }

  /**
   * True if a directory contains late samples that the daily figures do not include yet. Samples are late if they were
   * stored after the figures of their day were computed.
   */
  async hasLate(path: string): Promise<boolean> {
    const [from, to] = lateRange();
    const late = await this.#dependencies.directories.read(path, db => db.readRange(from, to, 1));
    return late !== undefined && late.length > 0;
  }

  /**
   * Returns the calendar hours that the roll-up (computation of the figures) of a day reads: those of the day and some
   * before it. Leaves out hours without a directory.
   */
  #hourSlots(day: number): HourSlot[] {
    const first = day - this.#dependencies.hoursBefore * HOUR_MS;
    const periods = periodsBetween('minutes', first, day + DAY_MS);
    return periods
      .filter(({ path }) => this.#dependencies.directories.has(path))
      .flatMap(({ path, from, to }) =>
        Array.from({ length: (to - from) / HOUR_MS }, (_, slot) => ({
          hour: from + slot * HOUR_MS,
          slot,
          path,
        })),
      )
      .filter(({ hour }) => hour >= first);
  }

  /**
   * Reads a page of servers, sorted by hash, with their samples in the given hours. `from`: lowest hash to read.
   * `next`: value of `from` for the next page; undefined at the end.
   */
  async #readPage(
    slots: readonly HourSlot[],
    from: Buffer,
  ): Promise<{ servers: Server[]; next: Buffer | undefined }> {
    const pages = await Promise.all(
      slots.map(async ({ path, slot }): Promise<BinaryEntry[]> => {
        const [first, end] = slotRange(slot, from);
        const page = await this.#dependencies.directories.read(path, db => db.readRange(first, end, PAGE));
        return page ?? [];
      }),
    );
    // `pages` has one page for each hour, with at most PAGE entries, sorted by hash. If a page is full, the hour can
    // have more entries, with higher hashes. `last`: the highest hash up to which all hours are read completely;
    // undefined if no page is full.
    let last: Buffer | undefined;
    for (const page of pages) {
      const end = page.length < PAGE ? undefined : page.at(-1);
      if (end && (!last || hashIn(end[0]).compare(last) < 0)) last = hashIn(end[0]);
    }
    const servers = new Map<string, Server>();
    for (const [i, page] of pages.entries()) {
      for (const entry of page) {
        const hash = hashIn(entry[0]);
        if (last && hash.compare(last) > 0) break;
        this.#addHour(servers, hash, slots[i], entry);
      }
    }
    return { servers: [...servers.values()], next: last && nextHash(last) };
  }

  async #readServers(slots: readonly HourSlot[], hashes: readonly Buffer[]): Promise<Server[]> {
    const servers = new Map<string, Server>();
    for (const slot of slots) {
      const keys = hashes.map(hash => slotKey(slot.slot, hash));
      const values = await this.#dependencies.directories.read(slot.path, db => db.getMany(keys));
      for (const [i, hash] of hashes.entries()) {
        const [key, value] = [keys[i], values?.[i]];
        if (key && value) this.#addHour(servers, hash, slot, [key, value]);
      }
    }
    return [...servers.values()];
  }

  #addHour(
    servers: Map<string, Server>,
    hash: Buffer,
    slot: HourSlot | undefined,
    [key, value]: BinaryEntry,
  ): void {
    const samples = openEntry(key, value);
    if (!slot || !samples) {
      this.#dependencies.onCorrupt();
      return;
    }
    const name = hash.toString('latin1');
    const server = servers.get(name);
    if (server) server.hours.push({ hour: slot.hour, samples });
    else servers.set(name, { hash, hours: [{ hour: slot.hour, samples }] });
  }

  async #rollUp(day: number, servers: readonly Server[]): Promise<void> {
    if (servers.length === 0) return;
    const quarters = periodOf('quarters', day);
    const month = periodOf('days', day);
    const quarterKeys = servers.map(({ hash }) => slotKey((day - quarters.from) / DAY_MS, hash));
    const monthKeys = servers.map(({ hash }) => daysKey(hash));
    const stored = {
      quarters: await this.#read(quarters.path, quarterKeys),
      month: await this.#read(month.path, monthKeys),
      removed: await this.#read(
        REMOVED,
        servers.map(({ hash }) => hash),
      ),
    };
    const writes = { quarters: [] as LevelOperation[], month: [] as LevelOperation[] };
    for (const [i, { hours }] of servers.entries()) {
      if (i % SERVERS_AT_A_TIME === SERVERS_AT_A_TIME - 1) await new Promise(setImmediate);
      const removed = stored.removed[i];
      const removedAt = removed ? decodeTime(removed) : 0;
      const rolled = rollUpDay({
        day,
        hours: hours.sort((a, b) => a.hour - b.hour),
        quarters: stored.quarters[i],
        month: stored.month[i],
        period: month,
        removedAt,
        isMissing: this.#dependencies.isMissing,
        hoursBefore: this.#dependencies.hoursBefore,
      });
      const [quarterKey, monthKey] = [quarterKeys[i], monthKeys[i]];
      if (!rolled || !quarterKey || !monthKey) continue;
      this.#servers++;
      writes.quarters.push({ type: 'put', key: quarterKey, value: sealEntry(quarterKey, rolled.quarters) });
      writes.month.push({ type: 'put', key: monthKey, value: sealEntry(monthKey, rolled.month) });
    }
    await this.#write(quarters.path, writes.quarters);
    await this.#write(month.path, writes.month);
  }

  async #read(path: string, keys: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
    const values = await this.#dependencies.directories.read(path, db => db.getMany(keys));
    return keys.map((key, i) => {
      const value = values?.[i];
      const content = value && openEntry(key, value);
      if (value && !content) this.#dependencies.onCorrupt();
      return content;
    });
  }

  async #write(path: string, operations: LevelOperation[]): Promise<void> {
    if (operations.length === 0) return;
    await this.#dependencies.directories.write(path, (db: LevelDb) => db.writeDurably(operations));
  }
}
