import type { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { type FeedReader, GameReader, KeysReader } from '../../../core/feed/feed-reader.ts';
import { newRecord } from '../../../core/servers/record-status.ts';

/** Returns the record of a new server on this port. All these servers have the same IP address. */
export const server = (port: number, gameId = 'csgo', insertedBy = 'tok_1') =>
  newRecord(gameId, `1.2.3.4:${port}`, insertedBy, 1000, 60_000);
/** Records of three servers of the game `csgo`. The readers in `readers` follow these servers. */
export const [a, b, c] = [server(1), server(2), server(3)];
/** Record of a server of another game. The readers in `readers` do not follow this server. */
export const rust = server(1, 'rust');

/** Functions that create a reader of the change feed, by the class name of the reader. */
export const readers: Record<string, (feed: ChangeFeed, since: number, wake?: () => void) => FeedReader> = {
  KeysReader: (feed, since, wake = () => {}) => new KeysReader(feed, [a.key, b.key, c.key], since, wake),
  GameReader: (feed, since, wake = () => {}) => new GameReader(feed, 'csgo', () => true, since, wake),
};

/**
 * Takes all changes from a reader of the change feed. Returns two values for each change: the last digit of the
 * server's port, and the position of the reader after the change.
 */
export function takeAll(reader: FeedReader): [string, number][] {
  const taken: [string, number][] = [];
  for (let key = reader.takeChanged(); key !== undefined; key = reader.takeChanged())
    taken.push([key.slice(-1), reader.sequence]);
  return taken;
}
