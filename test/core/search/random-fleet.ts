import { ChangeBatch, readChanges } from '../../../core/search/change-batch.ts';
import { type Scope, type SearchQuery, sorts } from '../../../core/search/search-query.ts';
import { ServerRows } from '../../../core/search/server-rows.ts';
import { serverKey, statuses } from '../../../core/servers/server-record.ts';
import { type KnownFields, queryOf, recordWith } from './search-fleet.ts';

/** Game ids of the random servers in a `Fleet`. */
export const GAMES = ['csgo', 'css', 'minecraft', 'rust'];
const TOKENS = ['admin', 't1', 't2'];
const MAPS = ['de_dust2', 'DE_DUST2', 'cs_office', '', 'Ｄe_dust2', 'карта', '地图'];
const VERSIONS = ['1.0', '1.1', '', 'v2-β'];
const WORDS = [
  ...['EU', 'Europe', 'eureka', 'PvP', '[GER]', 'Straße', 'STRASSE', '|★|', 'x10', '24/7', 'a', 'ab', 'abc'],
  ...[
    'Сервер',
    'сервера',
    'ΟΔΟΣ',
    'οδός',
    'خادم',
    '服务器',
    'サーバー',
    'ｻｰﾊﾞｰ',
    '한국',
    'İstanbul',
    'ıstanbul',
  ],
  ...['z\u200bero', '\u202eevil\u202c', 'e\u0301', 'é', '𝕰𝖚', '\u0000', '\ud800', '🎮', 'ﷺ', '\u115f'],
];

/**
 * Game servers that change at random. `rows` contains them in the form in which the search index stores them. `servers`
 * contains the same servers in a plain map, for comparison.
 */
export class Fleet {
  readonly rows = new ServerRows(0);
  readonly servers = new Map<string, KnownFields>();
  readonly #batch = new ChangeBatch();
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.#random(values.length)] as T;
  }

  /** Returns a name as the core stores it: each lone surrogate is replaced by U+FFFD. */
  name(): string {
    const words = Array.from({ length: this.#random(5) }, () => this.pick(WORDS));
    return Buffer.from(words.join(this.pick([' ', '-', '  ', '']))).toString();
  }

  /** Inserts, changes or removes a server at random. */
  change(): void {
    const gameId = this.pick(GAMES);
    const address = `10.0.${this.#random(3)}.${this.#random(60)}:27015`;
    const key = serverKey(gameId, address);
    const known = this.servers.get(key);
    const kind = this.#random(10);
    if (kind === 0 && known) {
      this.servers.delete(key);
      this.#batch.addRemoval(known);
      return;
    }
    const facts = {
      status: this.pick(statuses),
      players: this.pick([undefined, 0, 0, 1, 7, 64, 1_000_000]),
      password: this.pick([true, false]),
      isPublic: this.pick([true, false]),
    };
    if (known && kind < 6) {
      Object.assign(known, facts);
      this.#batch.addFacts(recordWith(known));
      return;
    }
    const texts = { name: this.name(), map: this.pick(MAPS), version: this.pick(VERSIONS) };
    const server = { gameId, address, insertedBy: this.pick(TOKENS), ...facts, ...texts };
    this.servers.set(key, server);
    this.#batch.addServer(recordWith(server));
  }

  apply(): void {
    readChanges(this.#batch.takeBytes(), this.rows);
  }

  query(): SearchQuery {
    const or = <T>(none: T, values: readonly T[]): T => (this.#random(2) === 0 ? none : this.pick(values));
    const word = this.pick(WORDS);
    const words = this.pick(['', '', word, word.slice(0, 1 + this.#random(3)), this.name()]);
    return queryOf({
      gameId: or('', GAMES),
      status: or(undefined, statuses),
      words,
      playersMin: or(0, [0, 1, 8]),
      map: or('', MAPS),
      version: or('', VERSIONS),
      password: or(undefined, [true, false]),
      scope: or<Scope>('all', ['public', ...TOKENS.map(insertedBy => ({ insertedBy }))]),
      sort: this.pick(sorts),
      limit: 1 + this.#random(40),
    });
  }
}
