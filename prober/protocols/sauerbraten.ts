// The server info of Sauerbraten (Cube 2). The query port is the join port plus 1. Source: `serverinforeply` in
// fpsgame/server.cpp and `extserverinforeply` in fpsgame/extinfo.h of https://sourceforge.net/projects/sauerbraten.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { CubeReader, cubeNumber, repeats } from './cube-reader.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';

/** First bytes of the request for all players. */
const LIST_QUESTION = Buffer.from([0, 1, 0xff]);
const ACKNOWLEDGED = -1;
const EXTENDED_VERSION = 105;
const NO_ERROR = 0;
const IDS_FOLLOW = -10;
const STATS_FOLLOW = -11;

/**
 * Index of the number of player slots in the list of attributes of a server. The attributes are: protocol, game mode,
 * seconds left, player slots, and master mode (who may join).
 */
const AT_PLACES = 3;
const AT_MASTER_MODE = 4;
const LEAST_ATTRIBUTES = 5;
const MOST_ATTRIBUTES = 64;
const MASTER_MODE_PASSWORD = 4;
/**
 * Lowest client id that belongs to a bot. Players have lower ids. gsq leaves bots out of the player list, because the
 * server's player count does not include them.
 */
const FIRST_BOT = 128;

class SauerbratenExchange implements DatagramExchange {
  readonly #question: Buffer;
  readonly #listQuestion: Buffer;
  #status: RawStatus | undefined;
  /** Ids of the players. Undefined until the packet with the ids arrives. */
  #ids: number[] | undefined;
  /** The players received so far, keyed by id. */
  readonly #players = new Map<number, RawPlayer>();

  constructor(nonce: bigint) {
    this.#question = cubeNumber(nonce);
    // gsq appends a random number to the request. The server repeats the whole request at the start of its reply, so
    // gsq recognises the replies to its own requests.
    this.#listQuestion = Buffer.concat([LIST_QUESTION, this.#question]);
  }

  request(): Buffer[] {
    return [this.#question];
  }

  receive(datagram: Buffer): Step {
    const status = this.#status;
    if (!status) return strictly(() => this.#readInfo(datagram));
    const step = strictly(() => this.#readList(datagram, status));
    // If the player list is malformed, gsq reports the status without it.
    return step.kind === 'malformed' ? { kind: 'done', status } : step;
  }

  partial(): RawStatus | undefined {
    return this.#status;
  }

  #readInfo(datagram: Buffer): Step {
    if (!repeats(datagram, this.#question)) return MORE;
    const status = parseInfo(new CubeReader(datagram, this.#question.length));
    if (status.players === 0) return { kind: 'done', status };
    this.#status = status;
    return { kind: 'send', packets: [this.#listQuestion] };
  }

  /**
   * Reads a packet of the player list. The list consists of one packet with the ids of all players, and one packet for
   * each player.
   */
  #readList(datagram: Buffer, status: RawStatus): Step {
    // Skips replies to other requests, for example a duplicate of the info reply.
    if (!datagram.subarray(0, this.#listQuestion.length).equals(this.#listQuestion)) return MORE;
    const reader = new CubeReader(datagram, this.#listQuestion.length);
    for (const expected of [ACKNOWLEDGED, EXTENDED_VERSION, NO_ERROR]) {
      if (reader.int() !== expected) throw new MalformedReply('no list of players');
    }
    const kind = reader.int();
    if (kind === IDS_FOLLOW) this.#ids = readIds(reader);
    else if (kind === STATS_FOLLOW) this.#readPlayer(reader);
    else throw new MalformedReply(`${kind} in place of players`);
    const playerList = this.#ids?.map(id => this.#players.get(id));
    if (!playerList?.every(player => player !== undefined)) return MORE;
    return { kind: 'done', status: { ...status, playerList } };
  }

  #readPlayer(reader: CubeReader): void {
    const id = reader.int();
    reader.int(); // unused field: ping
    const name = reader.text();
    reader.text(); // unused field: team
    const score = reader.int();
    if (isPlayer(id)) this.#players.set(id, { name, score });
  }
}

function parseInfo(reader: CubeReader): RawStatus {
  const players = reader.count('players');
  const count = reader.count('attributes');
  if (count < LEAST_ATTRIBUTES || count > MOST_ATTRIBUTES) throw new MalformedReply(`${count} attributes`);
  const attributes = Array.from({ length: count }, () => reader.int());
  const maxplayers = attributes[AT_PLACES] ?? 0;
  if (maxplayers < 0) throw new MalformedReply(`${maxplayers} places`);
  const map = reader.text();
  const name = reader.text();
  reader.end();
  return { name, map, players, maxplayers, password: attributes[AT_MASTER_MODE] === MASTER_MODE_PASSWORD };
}

function readIds(reader: CubeReader): number[] {
  const ids = new Set<number>();
  while (reader.remaining > 0) {
    const id = reader.int();
    if (isPlayer(id)) ids.add(id);
  }
  return [...ids];
}

function isPlayer(id: number): boolean {
  return id >= 0 && id < FIRST_BOT;
}

/** The protocol of Sauerbraten and of games derived from it. */
export const sauerbraten: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new SauerbratenExchange(context.nonce),
};
