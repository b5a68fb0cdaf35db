import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';

/** Number of servers that a backup reads from the store at a time. */
const PAGE = 1_000;

/**
 * Yields the records of all servers of a store, sorted by key. Yields each server only once, even if the store changes
 * during the backup. A server that is twice in a backup would make the restore of this backup fail.
 */
export async function* listedServers(store: Pick<ServerStore, 'list'>): AsyncGenerator<ServerRecord> {
  for (let after = ''; ; ) {
    const page = await store.list('', after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.key;
  }
}
