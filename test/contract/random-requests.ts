import { serverKey } from '../../core/servers/server-record.ts';
import type { RandomServers } from './random-servers.ts';
import type { Group } from './rest.ts';

/**
 * Maps each game name that the random requests use to its game id. A game can have several names: `arma` is a second
 * name for the game with the id `aaa`.
 */
export const games = new Map([
  ['csgo', 'csgo'],
  ['rust', 'rust'],
  ['aaa', 'aaa'],
  ['arma', 'aaa'],
]);

const invalid = [
  '10.0.0.1:27015',
  '127.0.0.1:22',
  'nonsense',
  '_meta',
  '__proto__',
  'constructor',
  '',
  'a"b\\c:1',
  'ü:x',
  '127.1:27015',
  'x'.repeat(300),
];

/** Random requests for random servers. The requests also contain invalid addresses, new servers and unknown games. */
export class RandomRequests {
  readonly #servers: RandomServers;
  #lastNew = 0;

  constructor(servers: RandomServers) {
    this.#servers = servers;
  }

  /**
   * Returns the server list of a random fetch request. One half of these lists contain only tracked servers. The other
   * half can also contain invalid addresses, new servers and unknown games.
   */
  groups(): Group[] {
    const servers = this.#servers;
    const size = servers.pick([0, 1, 1, 1, 2, 3, 5, 10, 40]);
    if (servers.below(2) === 0) {
      const game_id = servers.pick(['csgo', 'rust', 'aaa', 'arma']);
      const keys = [...servers.tracked.values()].filter(({ record }) => record.gameId === games.get(game_id));
      const addresses = Array.from({ length: size }, () => servers.pick(keys).record.address);
      return [{ game_id, servers: [...new Set(addresses)] }];
    }
    return Array.from({ length: 1 + servers.below(3) }, () => ({
      game_id: servers.pick(['csgo', 'rust', 'aaa', 'arma', 'nope', '__proto__', '']),
      servers: this.addresses(size),
    }));
  }

  /**
   * Returns up to `count` random addresses for a fetch request. Leaves out host names that are not tracked for every
   * game, because the core would look them up in DNS. The test has no DNS server.
   */
  addresses(count: number): string[] {
    return Array.from({ length: count }, () => this.#address()).filter(text => this.#isTrackable(text));
  }

  #address(): string {
    const servers = this.#servers;
    const choice = servers.below(100);
    if (choice < 80) return servers.pick(servers.written).text;
    if (choice < 95) return servers.pick(invalid);
    this.#lastNew++;
    return `127.200.${this.#lastNew >> 8}.${this.#lastNew & 255}:27015`;
  }

  #isTrackable(text: string): boolean {
    return !/example/i.test(text) || [...games.values()].every(id => this.#isTracked(id, text));
  }

  #isTracked(gameId: string, text: string): boolean {
    const canonical = this.#servers.written.find(each => each.text === text)?.canonical ?? '';
    return this.#servers.tracked.has(serverKey(gameId, canonical));
  }
}
