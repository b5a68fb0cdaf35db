import { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { RecentChanges } from '../../../core/feed/recent-changes.ts';

/** Creates a change feed that remembers the last `most` changes and uses the default freshness rules. */
export function feedOf(most = 1_000): ChangeFeed {
  return new ChangeFeed({ staleAfterMs: 600_000, probeIntervalMs: 60_000 }, new RecentChanges(most));
}
