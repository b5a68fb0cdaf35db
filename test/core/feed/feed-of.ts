import { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { RecentChanges } from '../../../core/feed/recent-changes.ts';

/**
 * Creates a change feed that remembers the last `most` changes. It uses the default settings that decide when the data
 * of a server is stale (too old).
 */
export function feedOf(most = 1_000): ChangeFeed {
  return new ChangeFeed({ staleAfterMs: 600_000, probeIntervalMs: 60_000 }, new RecentChanges(most));
}
