import type { Logger } from '../runtime/log.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import type { OpenedStore } from './open-store.ts';
import { SearchIndex } from './search/search-index.ts';

/** Creates the search index. The index loads the tracked servers while the core already serves calls. */
export function openSearch({ store }: OpenedStore, feed: ChangeFeed, log: Logger): SearchIndex {
  const search = new SearchIndex({
    records: () => store.records(),
    count: () => store.stats().tracked,
    onFailure: cause => log.error({ cause }, 'the search starts again and loads all servers'),
  });
  feed.subscribe(change => search.addChange(change));
  return search;
}
