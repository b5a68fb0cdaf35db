import { ChangeBatch, readChanges } from '../../../core/search/change-batch.ts';
import { countRows, searchRows } from '../../../core/search/row-scan.ts';
import type { ServerSearch } from '../../../core/search/search-index.ts';
import { ServerRows } from '../../../core/search/server-rows.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';

/** The servers of one test core: a server store, and a search index that runs without its own thread. */
export class TestCore {
  readonly records = new Map<string, ServerRecord>();
  readonly store = { getMany: (keys: readonly string[]) => keys.map(key => this.records.get(key)) };
  #rows = new ServerRows(0);
  readonly search: ServerSearch = {
    search: async query => searchRows(this.#rows, query),
    count: async query => countRows(this.#rows, query),
  };

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
