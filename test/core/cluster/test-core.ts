import { OwnedBuckets } from '../../../core/merge/owned-buckets.ts';
import { ChangeBatch, readChanges } from '../../../core/search/change-batch.ts';
import { countRows, searchRows } from '../../../core/search/row-scan.ts';
import type { ServerSearch } from '../../../core/search/search-index.ts';
import { ServerRows } from '../../../core/search/server-rows.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';

/** Returns the share of the core number `index` of `cores` cores: a function that is true for the buckets it owns. */
export function share(index: number, cores: number): (bucket: number) => boolean {
  return bucket => bucket % cores === index;
}

/** The servers of one test core: a server store, and a search index that runs without its own thread. */
export class TestCore {
  readonly records = new Map<string, ServerRecord>();
  readonly store = { getMany: (keys: readonly string[]) => keys.map(key => this.records.get(key)) };
  #rows = new ServerRows(0);
  #owns: (bucket: number) => boolean;
  #isValid = true;
  #onChange = (): void => {};
  readonly owned: OwnedBuckets;
  readonly search: ServerSearch = {
    search: async query => searchRows(this.#rows, query),
    count: async query => countRows(this.#rows, query),
  };

  /** `owns`: true for the buckets that this core owns. Their servers need not be those that it has loaded. */
  constructor(owns = share(0, 1)) {
    this.#owns = owns;
    const isValid = (): boolean => this.#isValid;
    this.owned = new OwnedBuckets({
      get isValid() {
        return isValid();
      },
      owns: bucket => this.#owns(bucket),
      watch: listener => {
        this.#onChange = listener;
        return () => {};
      },
    });
  }

  /** Begins or ends the lease of this core. */
  setLease(isValid: boolean): void {
    this.#isValid = isValid;
    this.#onChange();
  }

  /** Changes the buckets that this core owns. */
  moveBuckets(owns: (bucket: number) => boolean): void {
    this.#owns = owns;
    this.#onChange();
  }

  /**
   * Replaces all servers of this core. `servers`: the servers that are in the store and in the search index.
   * `unloaded`: servers that are in the search index, but not in the store.
   */
  load(servers: readonly ServerRecord[], unloaded: readonly ServerRecord[] = []): void {
    const batch = new ChangeBatch();
    for (const record of [...servers, ...unloaded]) batch.addServer(record);
    this.#rows = new ServerRows(0);
    readChanges(batch.takeBytes(), this.#rows);
    this.records.clear();
    for (const record of servers) this.records.set(record.key, record);
  }
}
