import { SERVERS, serverEntry } from '../../servers/server-entry.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { InsertOutcome } from '../../servers/server-store.ts';
import { NoWrites } from '../no-writes.ts';
import type { StorageEngine } from '../storage-engine.ts';

/**
 * Result of a write of new server records: the older records that the storage engine already had and therefore kept,
 * keyed by storage key. Undefined if the engine refused the write.
 */
type Stored = ReadonlyMap<string, Buffer> | undefined;

const NOT_YET: Promise<Stored> = Promise.resolve(new Map());

/** The methods of the server table that `Inserts` uses. */
export interface InsertTarget {
  has(key: string): boolean;
  /**
   * True if the table has space for one more server. `inserting`: number of servers that are being inserted at the
   * moment. They need space too.
   */
  hasRoom(inserting: number): boolean;
  /** True if this core owns the bucket (group of servers) of the server, and may therefore insert the server. */
  isOwner(key: string): boolean;
  /**
   * Adds a server to the table in memory, after its record was stored. `value`: the encoded record, as the storage
   * engine contains it. `record`: the decoded record; undefined if the engine already had a record of this server.
   */
  add(key: string, value: Buffer, record: ServerRecord | undefined): void;
}

/**
 * Inserts servers. A server becomes visible only after it is durable. If several calls insert the same server
 * concurrently, only the first insert is stored.
 */
export class Inserts {
  readonly #engine: Pick<StorageEngine, 'insertIfAbsent' | 'refusal'>;
  readonly #target: InsertTarget;
  /** Inserts that are not durable yet, keyed by `serverKey`. */
  readonly #pending = new Map<string, Promise<Stored>>();
  #refused = 0;

  constructor(engine: Pick<StorageEngine, 'insertIfAbsent' | 'refusal'>, target: InsertTarget) {
    this.#engine = engine;
    this.#target = target;
  }

  /**
   * Number of refused inserts of servers since the start. An insert is refused if the storage engine accepts no writes,
   * or if this core does not own the bucket of the server.
   */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Inserts each server that is absent from the table. `recordOf`: creates the record of a server from the index of its
   * key in `keys`. Returns one outcome for each key, in the order of `keys`.
   */
  async insert(keys: readonly string[], recordOf: (index: number) => ServerRecord): Promise<InsertOutcome[]> {
    const records: ServerRecord[] = [];
    const others = new Map<string, Promise<Stored>>();
    const outcomes = keys.map((key, i): InsertOutcome => {
      if (this.#target.has(key)) return 'present';
      const other = this.#pending.get(key);
      if (other) {
        others.set(key, other);
        return 'present';
      }
      if (this.#engine.refusal || !this.#target.isOwner(key)) return 'refused';
      if (!this.#target.hasRoom(this.#pending.size)) return 'full';
      records.push(recordOf(i));
      this.#pending.set(key, NOT_YET);
      return 'inserted';
    });
    const own = this.#store(records);
    for (const record of records) this.#pending.set(record.key, own);
    const winners = await own;
    const refused = new Set(winners ? [] : records.map(({ key }) => key));
    for (const [key, other] of others) if (!(await other)) refused.add(key);
    return outcomes.map((outcome, i) => {
      const key = keys[i] ?? '';
      if (outcome === 'refused' || refused.has(key)) {
        this.#refused++;
        return 'refused';
      }
      return outcome === 'inserted' && winners?.has(SERVERS + key) ? 'present' : outcome;
    });
  }

  /**
   * Stores server records, and adds the servers to the table in memory. Returns the records that the storage engine
   * already had and kept, keyed by storage key. Returns undefined if the write was refused or failed.
   */
  async #store(records: readonly ServerRecord[]): Promise<Stored> {
    if (records.length === 0) return NOT_YET;
    const entries = records.map(serverEntry);
    try {
      const winners = await this.#engine.insertIfAbsent(entries);
      for (const [i, record] of records.entries()) {
        const entry = entries[i];
        if (!entry) continue;
        const winner = winners.get(entry.key);
        if (winner) this.#target.add(record.key, winner, undefined);
        else this.#target.add(record.key, entry.value, record);
      }
      return winners;
    } catch (error) {
      if (error instanceof NoWrites) return undefined;
      throw error;
    } finally {
      for (const { key } of records) this.#pending.delete(key);
    }
  }
}
