import { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { RecentChanges } from '../../../core/feed/recent-changes.ts';

/** Creates a change feed with the default freshness rules, which remembers the last `most` changes. */
export function feedOf(most = 1_000): ChangeFeed {
  return new ChangeFeed({ staleAfterMs: 600_000, probeIntervalMs: 60_000 }, new RecentChanges(most));
}
