import { positionOrder } from '../search/position-order.ts';
import type { ListPosition, Sort } from '../search/search-query.ts';
import { serverKey } from '../servers/server-record.ts';

/** One server in the search results of one core. */
export interface FoundRow<Content> {
  /** Sort position of the server in the list of all found servers. */
  readonly position: ListPosition;
  /**
   * Data of the server. Undefined if the server is still in the search index of the core, but no longer in its store.
   */
  readonly content: Content | undefined;
}

/** A page of found servers that was merged from the pages of several cores. */
export interface MergedPage<Content> {
  readonly servers: readonly { readonly key: string; readonly content: Content }[];
  /**
   * Sort position in the list of found servers after which the next page begins; undefined if this is the last page.
   */
  readonly next: ListPosition | undefined;
}

/**
 * Merges the pages that several cores found in a search. Each page is sorted, begins after the same position, and has
 * up to `limit + 1` servers. The merged page contains a server only once.
 */
export function mergePages<Content>(
  pages: readonly (readonly FoundRow<Content>[])[],
  sort: Sort,
  limit: number,
): MergedPage<Content> {
  const compare = positionOrder(sort);
  const heads = pages.map(() => 0);
  const merged = new Map<string, Content>();
  // Number of rows on the merged page. It also counts rows whose server was removed during the search. Otherwise, a
  // page with such rows could seem to be the last page.
  let count = 0;
  let last: ListPosition | undefined;
  for (;;) {
    let first = -1;
    let row: FoundRow<Content> | undefined;
    for (const [i, page] of pages.entries()) {
      const head = page[heads[i] as number];
      if (!head || (row && compare(head.position, row.position) >= 0)) continue;
      first = i;
      row = head;
    }
    if (!row) break;
    heads[first] = (heads[first] as number) + 1;
    const key = serverKey(row.position.gameId, row.position.address);
    if (merged.has(key)) continue;
    if (count === limit) return { servers: listed(merged), next: last };
    if (row.content !== undefined) merged.set(key, row.content);
    count++;
    last = row.position;
  }
  return { servers: listed(merged), next: undefined };
}

function listed<Content>(merged: ReadonlyMap<string, Content>): MergedPage<Content>['servers'] {
  return [...merged].map(([key, content]) => ({ key, content }));
}
