import {
  labels,
  noHistory,
  reasons,
  type ServerRecord,
  serverKey,
  statuses,
} from '../../core/servers/server-record.ts';
import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import { payloadFields, reported } from '../core/payload-of.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { Clock } from './in-process.ts';

const SEED = 20;
const MINUTE = 60_000;

/**
 * The stored record of a tracked server, and its payload (reported data). A server that never answered has no payload.
 */
export interface TrackedServer {
  record: ServerRecord;
  payload: ServerPayload__Output | undefined;
}

/** `text` is one spelling of an address that a request can contain. `canonical` is the form that the core stores. */
export interface WrittenAddress {
  text: string;
  canonical: string;
}

const texts = [
  '',
  'plain',
  'a "quoted" \\ name',
  'ünï ☃ 😀',
  '"}},"_meta":{',
  '\u0000\u001f\u2028',
  'x'.repeat(256),
];

/** Tracked servers with random records and payloads. The random numbers are the same in each run. */
export class RandomServers {
  /** Clock for all times in the server records. A core that serves these records must use the same clock. */
  readonly clock = new Clock();
  /** All tracked servers, keyed by game id and canonical address (see `serverKey`). */
  readonly tracked = new Map<string, TrackedServer>();
  /** Addresses of the added servers, in every notation that a caller can use, for example with capital letters. */
  readonly written: WrittenAddress[] = [];
  /** Returns a random integer that is at least 0 and less than the argument. */
  readonly below = randomNumbers(SEED);

  constructor() {
    for (let i = 1; i <= 300; i++) this.#track(`127.0.${i >> 8}.${i & 255}:27015`);
    for (let i = 0; i < 20; i++)
      this.#track(`play${i}.example.com:2${i + 1000}`, `PLAY${i}.Example.com.:2${i + 1000}`);
    this.#track(
      '127.9.9.9:27015',
      '127.9.9.9:027015',
      '[::ffff:127.9.9.9]:27015',
      '[::FFFF:7f09:0909]:27015',
    );
    this.#track('xn--bcher-kva.example:27015', 'bücher.example:27015');
  }

  /** Returns a random element of `choices`. */
  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Adds a server that was not probed yet to the tracked servers, as a fetch of a new server does. */
  insert(gameId: string, address: string): TrackedServer {
    const { record } = this.#randomServer(gameId, address);
    const inserted: TrackedServer = {
      payload: undefined,
      record: {
        ...record,
        status: 'pending',
        reason: 'unprobed',
        label: 'none',
        intervalMs: MINUTE,
        lastProbeAt: 0,
        lastOnlineAt: 0,
        nextProbeAt: this.clock.ms,
        data: Buffer.alloc(0),
      },
    };
    this.tracked.set(record.key, inserted);
    return inserted;
  }

  #track(address: string, ...otherForms: string[]): void {
    for (const text of [address, ...otherForms]) this.written.push({ text, canonical: address });
    const gameIds = ['csgo', 'rust', 'aaa'];
    for (const gameId of this.below(3) === 0 ? gameIds : [this.pick(gameIds)]) {
      const server = this.#randomServer(gameId, address);
      this.tracked.set(server.record.key, server);
    }
  }

  #randomPayload(address: string): ServerPayload__Output {
    const playerList = Array.from({ length: this.pick([0, 0, 1, 5, 60]) }, () => ({
      name: this.pick(texts),
      score: this.pick([0, 7, -1, 2 ** 31 - 1, -(2 ** 31)]),
      time: this.pick([0, 61, 2 ** 32 - 1]),
    }));
    return payloadFields({
      name: this.pick(texts),
      map: this.pick(texts),
      players: playerList.length,
      maxplayers: this.pick([0, 64, 4_294_967_295]),
      numbots: this.below(3),
      password: this.below(2) === 1,
      version: this.pick(texts),
      ping: this.below(300),
      connect: this.pick([address, 'elsewhere.example:1']),
      playerList,
    });
  }

  #randomServer(gameId: string, address: string): TrackedServer {
    const status = this.pick(statuses);
    const lastOnlineAt =
      status === 'pending' || this.below(4) === 0
        ? 0
        : this.clock.ms - this.pick([0, 1, 600_000, 600_001, 9e7]);
    const answered = lastOnlineAt !== 0;
    const payload = answered ? this.#randomPayload(address) : undefined;
    const lastProbeAt =
      status === 'pending' ? this.pick([0, this.clock.ms - 5]) : this.clock.ms - this.below(MINUTE);
    return {
      payload,
      record: {
        key: serverKey(gameId, address),
        gameId,
        address,
        insertedAt: this.clock.ms - 1e8,
        insertedBy: this.pick(['admin', 'tok_0123456789ab']),
        isPublic: this.pick([true, false]),
        status,
        label: this.pick(labels),
        intervalMs: this.pick([500, MINUTE, 5 * MINUTE, 60 * MINUTE]),
        lastProbeAt,
        lastOnlineAt,
        nextProbeAt: this.clock.ms + this.below(500),
        reason: lastProbeAt === 0 ? 'unprobed' : this.pick(reasons),
        history: noHistory,
        queryPort: this.below(65_536),
        version: 1 + this.below(1000),
        data: payload ? reported(payload).data() : Buffer.alloc(0),
        openHour: Buffer.alloc(0),
      },
    };
  }
}
