import { join } from 'node:path';
import { NO_HOUR } from '../../core/history/hour-coding.ts';
import { encodeRecord } from '../../core/servers/record-codec.ts';
import { newRecord } from '../../core/servers/record-status.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../core/store/storage-engine.ts';
import type { Player__Output } from '../../proto/generated/gsq/v1/Player.ts';
import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import { reported } from '../core/payload-of.ts';
import { onlineRecord } from '../core/record-of.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { simulatedOpenHours } from './open-hours.ts';

/**
 * Ids of the games to which the tracked servers belong. Server `i` belongs to the game with the index `i %
 * games.length`.
 */
export const games = [
  'arma3',
  'counterstrike2',
  'dayz',
  'garrysmod',
  'minecraft',
  'rust',
  'teamfortress2',
  'valheim',
] as const;

/**
 * Probe interval of the measured services, in milliseconds. It is so long that no server is probed during a
 * measurement.
 */
export const probeIntervalMs = 3_600_000;

/**
 * Ranges of the numbers in the test addresses `127.a.b.c:p`. a, b and c begin at `octet`, and each has `octets`
 * different values. p begins at `port`, and has `ports` different values. The ranges are chosen so that a, b and c have
 * three digits and p has five. All addresses have the same length, so their text order is their numeric order.
 */
export const addressForm = { octet: 100, octets: 156, port: 27_000, ports: 1_000 } as const;
/** Number of different addresses that the bench can generate. */
export const ADDRESSES = addressForm.octets ** 3;

export function gameAt(index: number): string {
  return games[index % games.length] ?? games[0];
}

export function addressAt(index: number): string {
  const { octet, octets, port, ports } = addressForm;
  const low = octet + (index % octets);
  const middle = octet + (Math.floor(index / octets) % octets);
  const high = octet + Math.floor(index / octets ** 2);
  return `127.${high}.${middle}.${low}:${port + (index % ports)}`;
}

const WORDS = [
  'EU|US|Main|Vanilla|2x|Solo/Duo/Trio|Weekly|Monthly|No Wipe|PvP|PvE|Roleplay|Hardcore|Modded|Kits|TP|Noob Friendly',
  'Official|Community|[DE]|[FR]|24/7|Dust2|Deathmatch|Zombies|Survival|Low Ping|Frankfurt|Battlefield|Warriors|★|Max 4',
].flatMap(words => words.split('|'));
const MAPS = 'Procedural Map|de_dust2|gm_construct|Altis|chernarusplus|world|cp_badlands|Midgard'.split('|');
const NAME_LETTERS = 'abcdefghijklmnoprstuvwxyzABCDEFGHIKLMNOPRSTVW0123456789_ ';
const EMPTY_PERCENT = 55;
const MEAN_PLAYERS = 7;

/**
 * Generates random payloads (data that game servers report), always the same for the same seed. Server names have 20 to
 * 60 characters. 55 % of the servers are empty, and the others have about 7 players.
 */
class Payloads {
  readonly #below: (below: number) => number;

  constructor(seed: number) {
    this.#below = randomNumbers(seed);
  }

  #pick(list: readonly string[]): string {
    return list[this.#below(list.length)] ?? '';
  }

  #serverName(): string {
    const length = 20 + this.#below(41);
    let name = this.#pick(WORDS);
    while (name.length < length) name += ` ${this.#pick(WORDS)}`;
    return name.slice(0, length);
  }

  #player(): Player__Output {
    let name = '';
    for (let left = 4 + this.#below(13); left > 0; left--)
      name += NAME_LETTERS[this.#below(NAME_LETTERS.length)];
    return { name, score: this.#below(60), time: this.#below(14_400) };
  }

  next(address: string): ServerPayload__Output {
    // The player counts follow an exponential distribution with a maximum of 30. Many servers have few players, and few
    // servers have many players.
    const drawn = Math.round(-MEAN_PLAYERS * Math.log((this.#below(10_000) + 1) / 10_001));
    const players = this.#below(100) < EMPTY_PERCENT ? 0 : Math.max(1, Math.min(30, drawn));
    return {
      name: this.#serverName(),
      map: this.#pick(MAPS),
      players,
      maxplayers: 32 + 8 * this.#below(12),
      numbots: this.#below(4) === 0 ? this.#below(6) : 0,
      password: this.#below(10) === 0,
      version: `${1 + this.#below(3)}.${this.#below(30)}.${this.#below(10)}`,
      ping: 5 + this.#below(180),
      connect: address,
      updated: null,
      playerList: Array.from({ length: players }, () => this.#player()),
    };
  }
}

const BATCH = 2_000;
const SEED = 20_201;
const INSERTER = 'bench-inserter-id';

/**
 * Writes the data directory of a core that tracks `count` online servers. Resolves to the mean size of a stored
 * payload, in bytes. `insertedAt`: Unix ms. `hasOpenHours`: whether the servers have history samples of an incomplete
 * hour.
 */
export async function writeTrackedServers(
  dataDirectory: string,
  count: number,
  { insertedAt = Date.now(), hasOpenHours = true, intervalMs = probeIntervalMs } = {},
): Promise<number> {
  if (count > ADDRESSES) throw new RangeError(`there are only ${ADDRESSES} addresses`);
  const level = await LevelDbStore.open(join(dataDirectory, 'leveldb'), error => {
    throw error;
  });
  const payloads = new Payloads(SEED);
  const now = Date.now();
  const openHours = simulatedOpenHours(now);
  const pick = randomNumbers(SEED);
  let dataBytes = 0;
  let batch: Operation[] = [];
  // Writes the servers game by game, in the order of their keys, so that LevelDB needs no compaction.
  for (let game = 0; game < games.length; game++) {
    for (let index = game; index < count; index += games.length) {
      const address = addressAt(index);
      const inserted = newRecord(gameAt(index), address, INSERTER, insertedAt, intervalMs);
      const found = { payload: reported(payloads.next(address)), queryPort: addressForm.port };
      const record = onlineRecord(inserted, now, found, intervalMs);
      dataBytes += record.data.length;
      const value = encodeRecord({
        ...record,
        openHour: (hasOpenHours && openHours[pick(openHours.length)]) || NO_HOUR,
      });
      batch.push({ type: 'put', key: `s/${record.key}`, value });
      if (batch.length === BATCH) {
        await level.commit(batch);
        batch = [];
      }
    }
  }
  if (batch.length > 0) await level.commit(batch);
  await level.close();
  return dataBytes / count;
}
