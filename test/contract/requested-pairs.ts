import { checkAddress, unknownGame } from '../../core/servers/pair-check.ts';
import { serverKey } from '../../core/servers/server-record.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { games } from './random-requests.ts';
import type { RandomServers, TrackedServer } from './random-servers.ts';
import type { Group } from './rest.ts';

const policy = new TargetPolicy(['127.0.0.0/8']);

/**
 * One requested pair of game and address, as the caller wrote it. It has either a server (`tracked`) or an error
 * (`invalid`).
 */
export interface Pair {
  game_id: string;
  server: string;
  tracked?: TrackedServer;
  invalid?: { reason: string; message: string };
  /** True if the request added the server to the tracked servers. */
  inserted: boolean;
}

/**
 * Returns the pairs of game and address in a request, each with its tracked server or its error. Leaves out repeated
 * pairs. Adds servers that are not tracked yet to `servers`.
 */
export function pairsOf(groups: readonly Group[], servers: RandomServers): Pair[] {
  const pairs: Pair[] = [];
  for (const { game_id, servers: addresses } of groups) {
    for (const server of addresses) {
      if (pairs.some(pair => pair.game_id === game_id && pair.server === server)) continue;
      const pair: Pair = { game_id, server, inserted: false };
      pairs.push(pair);
      const gameId = games.get(game_id);
      const address = checkAddress(server, policy);
      if (gameId === undefined) pair.invalid = unknownGame;
      else if ('reason' in address) pair.invalid = address;
      else {
        const found = servers.tracked.get(serverKey(gameId, address.canonical));
        pair.inserted = found === undefined;
        pair.tracked = found ?? servers.insert(gameId, address.canonical);
      }
    }
  }
  return pairs;
}
