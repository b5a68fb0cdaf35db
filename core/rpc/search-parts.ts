import type { ClusterServiceHandlers } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { CountPartRequest__Output } from '../../proto/generated/gsq/v1/CountPartRequest.ts';
import type { CountPartResponse } from '../../proto/generated/gsq/v1/CountPartResponse.ts';
import type { SearchPartRequest__Output } from '../../proto/generated/gsq/v1/SearchPartRequest.ts';
import type { SearchPartResponse } from '../../proto/generated/gsq/v1/SearchPartResponse.ts';
import type { OwnedBuckets } from '../merge/owned-buckets.ts';
import { scopeOfMessage, searchOfMessage } from '../merge/search-messages.ts';
import type { ServerSearch } from '../search/search-index.ts';
import { encodeRecord } from '../servers/record-codec.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { Handlers } from './handler.ts';
import { isVisible } from './readers.ts';

/** Dependencies of `searchParts`. */
export interface SearchPartsDependencies {
  /** Search index of the servers of this core. */
  search: ServerSearch;
  /** Store of the servers of this core. */
  store: Pick<ServerStore, 'getMany'>;
  owned: Pick<OwnedBuckets, 'during'>;
}

const NO_RECORD = Buffer.alloc(0);

/**
 * Creates the methods of ClusterService that search and count the servers of this core for another core. Both methods
 * reject with ServiceError CORE_1 while the search index is loading.
 */
export function searchParts({ search, store, owned }: SearchPartsDependencies, handlers: Handlers) {
  return {
    SearchPart: handlers.unary<SearchPartRequest__Output, SearchPartResponse>(async ({ request }) => {
      const query = searchOfMessage(request);
      const { result, buckets } = await owned.during(async () => {
        const { keys, positions = [], total } = await search.search(query);
        const servers = store.getMany(keys).map((record, i) => ({
          record: record && isVisible(query, record) ? encodeRecord(record) : NO_RECORD,
          position: positions[i] ?? null,
        }));
        return { servers, total };
      });
      return { ...result, buckets };
    }),

    CountPart: handlers.unary<CountPartRequest__Output, CountPartResponse>(async ({ request }) => {
      const query = { gameId: request.gameId, scope: scopeOfMessage(request.scope) };
      const { result: games, buckets } = await owned.during(() => search.count(query));
      return { games, buckets };
    }),
  } satisfies Partial<ClusterServiceHandlers>;
}
