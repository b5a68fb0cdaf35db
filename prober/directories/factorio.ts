import { hostPort } from '../../runtime/endpoint.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import { notListed, type UnknowableError } from '../answers/unknowable-error.ts';
import { field, text, truth } from '../answers/untyped-values.ts';
import { type Directory, onlyHost } from './directory.ts';
import type { Kept } from './directory-host.ts';
import { arrayOf, countOf, dotted, fieldOf, namedPlayers, readJson, toldCounts } from './entry-values.ts';
import { LoadingCache } from './loading-cache.ts';

const FRESH_MS = 30_000;
const MAX_SERVERS = 1_000;

/**
 * The public server list of Factorio, which is the matchmaking API of the game. Each request returns one server and
 * needs no account. Source: <https://wiki.factorio.com/Matchmaking_API>.
 */
export const factorio: Directory = {
  name: 'factorio',
  kind: 'look-up',
  protocols: ['factorio'],
  origins: ['https://multiplayer.factorio.com'],
  perMinute: 60,
  open(parts) {
    const host = onlyHost(parts);
    const servers = new LoadingCache<Kept<RawStatus>>({
      now: parts.now,
      keepMs: () => FRESH_MS,
      max: MAX_SERVERS,
    });
    return async ({ address, ports: [port = 0] }) => {
      const server = hostPort(address, port);
      const path = `/get-game-details/${encodeURIComponent(server)}`;
      const { value } = await servers.get(server, async last => {
        host.claimReservation(server);
        return host.fetch({ path, last, explain, read });
      });
      return value;
    };
  },
};

/**
 * Matches the error text of a 404 reply from Factorio that reports an unknown server. A 404 reply without such a text
 * proves nothing about the server: perhaps a proxy sent it, or the API has moved.
 */
const UNKNOWN_GAME = /\b(no|unknown) game\b|\bgame not found\b/i;

function explain(status: number, body: Buffer): UnknowableError | undefined {
  const isUnknown = status === 404 && UNKNOWN_GAME.test(String(fieldOf(body, 'message')));
  return isUnknown ? notListed('factorio') : undefined;
}

function read(body: Buffer): RawStatus {
  const game = readJson(body);
  const name = text(game, 'name');
  if (!name) throw new TypeError('not a game');
  // Reads an absent property `players` as an empty list: Factorio leaves it out if nobody is on the server.
  const players = arrayOf(field(game, 'players') ?? []);
  const version = field(game, 'application_version');
  return {
    name,
    password: truth(field(game, 'has_password')),
    ...toldCounts(players.length, countOf(game, 'max_players')),
    version: dotted(field(version, 'game_version'), field(version, 'build_version')),
    playerList: namedPlayers(players),
  };
}
