import { serverKey } from '../../core/servers/server-record.ts';
import type { RandomServers } from './random-servers.ts';
import type { Group } from './rest.ts';

/** Maps the game names in random requests to game ids. `arma` is a second name of the game `aaa`. */
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

  /** Returns a random server list for a fetch request. Half of the lists contain only tracked servers. */
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
   * Returns up to `count` random addresses. Leaves out host names that the core would look up, as the test has no DNS
   * server.
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
