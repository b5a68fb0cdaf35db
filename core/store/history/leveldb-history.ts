import type {
  Figures,
  HistoryStore,
  IncidentEvent,
  OfflineSpan,
  SealedHour,
} from '../../history/history-store.ts';
import { hourOf } from '../../history/hour-coding.ts';
import { hourPhaseOfKey } from '../../history/hour-phase.ts';
import { incidentsOf } from '../../history/incident-events.ts';
import { NoHistory } from '../../history/no-history.ts';
import type { Reason } from '../../servers/server-record.ts';
import type { HistoryDirectories } from './history-directories.ts';
import {
  daysKey,
  decodeIncident,
  decodeTime,
  encodeIncident,
  encodeTime,
  hashServer,
  incidentKey,
  incidentRange,
  openEntry,
  slotKey,
} from './history-entries.ts';
import type { HistoryWriter } from './history-writer.ts';
import { DAY_MS, dayBegin, HOUR_MS, type Period, periodAt, periodOf, REMOVED } from './periods.ts';
import { decodeDays, decodeQuarters } from './server-days.ts';

/** Maximum number of incident entries that are read for one server and month. */
const MOST_INCIDENTS = 50_000;

/** Objects that `LevelDbHistory` needs to store the history of the servers in LevelDB. */
export interface LevelDbHistoryDependencies {
  directories: HistoryDirectories;
  writer: HistoryWriter;
  /** Secret key with which the server keys are hashed. */
  secret: Buffer;
  now: () => number;
  /** Called for each stored value of the history that does not match its checksum. */
  onCorrupt: () => void;
}

/** A value to read from the history: its key, and the start of the time span that the value covers. */
interface Wanted {
  readonly key: Buffer;
  readonly from: number;
}

/** A value that was read from the history. `from`: start of the time span that the value covers. */
interface Value {
  readonly from: number;
  readonly content: Buffer;
}

/** A `HistoryStore` in LevelDB directories. Reads include writes that are still queued. */
export class LevelDbHistory implements HistoryStore {
  readonly #dependencies: LevelDbHistoryDependencies;

  constructor(dependencies: LevelDbHistoryDependencies) {
    this.#dependencies = dependencies;
  }

  sealHour(key: string, { hour, samples }: SealedHour): void {
    const { path, from } = periodOf('minutes', hour);
    this.#write(path, slotKey((hour - from) / HOUR_MS, this.#hash(key)), Buffer.from(samples));
  }

  addOffline(key: string, at: number, reason: Reason): void {
    this.#addIncident(key, at, reason);
  }

  addOnline(key: string, at: number): void {
    this.#addIncident(key, at, undefined);
  }

  async hours(key: string, from: number, to: number): Promise<SealedHour[]> {
    const hash = this.#hash(key);
    const phase = hourPhaseOfKey(key);
    const found: SealedHour[] = [];
    await this.#readSlots('minutes', hourOf(from, phase), to - phase, HOUR_MS, hash, (hour, samples) => {
      found.push({ hour, samples });
    });
    const removedAt = await this.#removedAt(hash);
    return found.filter(({ hour }) => hour + phase + HOUR_MS > removedAt);
  }

  async quarters(key: string, from: number, to: number): Promise<Figures[]> {
    const hash = this.#hash(key);
    const found: Figures[] = [];
    await this.#readSlots('quarters', dayBegin(from), to, DAY_MS, hash, (day, content) => {
      found.push(...decodeQuarters(day, content));
    });
    return this.#within(found, hash, from, to);
  }

  async days(key: string, from: number, to: number): Promise<Figures[]> {
    const hash = this.#hash(key);
    const found: Figures[] = [];
    const months = this.#periods('days', from, to).map(async period => {
      const [row] = await this.#readMany(period.path, [{ key: daysKey(hash), from: period.from }]);
      return row ? decodeDays(period, row.content) : [];
    });
    for (const month of await Promise.all(months)) found.push(...month);
    return this.#within(found, hash, from, to);
  }

  oldest(kind: 'hours' | 'quarters'): number {
    const [first] = this.#periods(kind === 'hours' ? 'minutes' : 'quarters', 0, Number.POSITIVE_INFINITY);
    return first?.from ?? Number.POSITIVE_INFINITY;
  }

  async incidents(key: string, before: number, limit: number): Promise<OfflineSpan[]> {
    return incidentsOf(await this.incidentEvents(key, before, limit), before, limit);
  }

  async incidentEvents(key: string, before: number, limit: number): Promise<IncidentEvent[]> {
    const hash = this.#hash(key);
    const removedAt = await this.#removedAt(hash);
    const found: IncidentEvent[] = [];
    let next: IncidentEvent | undefined;
    let starts = 0;
    for (const path of this.#monthsBackwards()) {
      for (const event of await this.#events(path, hash)) {
        if (event.at < removedAt) continue;
        if (event.at >= before) next = event;
        else {
          found.push(event);
          if (event.reason !== undefined) starts++;
        }
        if (starts >= limit) return next ? [next, ...found] : found;
      }
    }
    return next ? [next, ...found] : found;
  }

  remove(keys: readonly string[]): void {
    const at = encodeTime(this.#dependencies.now());
    for (const key of keys) this.#write(REMOVED, this.#hash(key), at);
  }

  #hash(key: string): Buffer {
    return hashServer(this.#dependencies.secret, key);
  }

  #write(path: string, key: Buffer, content: Buffer): void {
    this.#dependencies.writer.add(path, key, content);
  }

  #addIncident(key: string, at: number, reason: Reason | undefined): void {
    const { path } = periodOf('days', at);
    this.#write(path, incidentKey(this.#hash(key), at), encodeIncident(reason));
  }

  async #within(found: Figures[], hash: Buffer, from: number, to: number): Promise<Figures[]> {
    const removedAt = await this.#removedAt(hash);
    return found.filter(span => span.from >= from && span.from < to && span.to > removedAt);
  }

  /**
   * Returns the periods of the history that have stored or queued data between `from` and `to`, the oldest first. A
   * period is the span of time that one LevelDB directory covers. `tier`: resolution of the data, such as `minutes`.
   */
  #periods(tier: Period['tier'], from: number, to: number): Period[] {
    const { directories, writer } = this.#dependencies;
    return [...new Set([...directories.paths, ...writer.pending.paths])]
      .flatMap(path => periodAt(path) ?? [])
      .filter(period => period.tier === tier && period.from < to && period.to > from)
      .sort((a, b) => a.from - b.from);
  }

  async #readSlots(
    tier: 'minutes' | 'quarters',
    from: number,
    to: number,
    slotMs: number,
    hash: Buffer,
    visit: (from: number, content: Buffer) => void,
  ): Promise<void> {
    const periods = this.#periods(tier, from, to).map(period => {
      const slots = Array.from(
        { length: (period.to - period.from) / slotMs },
        (_, i): Wanted => ({ key: slotKey(i, hash), from: period.from + i * slotMs }),
      );
      const wanted = slots.filter(slot => slot.from >= from && slot.from < to);
      return this.#readMany(period.path, wanted);
    });
    for (const values of await Promise.all(periods))
      for (const { from, content } of values) visit(from, content);
  }

  /**
   * Reads the history entries whose keys are in `wanted`, and returns their values in the same order. Takes a value
   * from the queue of writes if the queue contains it, and otherwise from LevelDB.
   */
  async #readMany(path: string, wanted: readonly Wanted[]): Promise<Value[]> {
    const { directories, writer, onCorrupt } = this.#dependencies;
    // Reads the queue of writes before it reads LevelDB. A write leaves the queue only after LevelDB has stored it, so
    // no write is missed.
    const queued = wanted.map(({ key }) => writer.pending.get(path, key));
    const keys = wanted.map(({ key }) => key);
    const stored = await directories.read(path, db => db.getMany(keys)).catch(unreadable);
    return wanted.flatMap(({ key, from }, i): Value[] => {
      const value = stored?.[i];
      const content = queued[i] ?? (value && openEntry(key, value));
      if (value && !content) onCorrupt();
      return content ? [{ from, content }] : [];
    });
  }

  async #removedAt(hash: Buffer): Promise<number> {
    const [removal] = await this.#readMany(REMOVED, [{ key: hash, from: 0 }]);
    return removal ? decodeTime(removal.content) : 0;
  }

  /** Returns the paths of the LevelDB directories with incidents, one for each month, the newest month first. */
  #monthsBackwards(): string[] {
    return this.#periods('days', 0, Number.POSITIVE_INFINITY)
      .map(({ path }) => path)
      .reverse();
  }

  /**
   * Returns the incident events of a server in one month, the newest first. An event says when the server went offline
   * or came back.
   */
  async #events(path: string, hash: Buffer): Promise<IncidentEvent[]> {
    const { directories, writer, onCorrupt } = this.#dependencies;
    const [from, to] = incidentRange(hash);
    const queued = writer.pending.ofPrefix(path, from);
    const stored = await directories
      .read(path, db => db.readRange(from, to, MOST_INCIDENTS))
      .catch(unreadable);
    const events = new Map<number, IncidentEvent>();
    for (const [key, value] of stored ?? []) {
      const content = openEntry(key, value);
      if (!content) onCorrupt();
      else {
        const event = decodeIncident(key, content);
        events.set(event.at, event);
      }
    }
    for (const { key, content } of queued) {
      const event = decodeIncident(key, content);
      events.set(event.at, event);
    }
    return [...events.values()].sort((a, b) => b.at - a.at);
  }
}

function unreadable(error: unknown): never {
  throw new NoHistory(
    `the history cannot be read now: ${error instanceof Error ? error.message : String(error)}; the core tries again`,
  );
}
