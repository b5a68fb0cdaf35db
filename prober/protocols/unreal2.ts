// Unreal Engine 2's query: protocols/unreal2.js of https://github.com/gamedig/node-gamedig. Its flags:
// KFTurboServer/Classes/KFTurboMasterServerUplink.uc of https://github.com/KFPilot/KFTurbo

import type { CountedStatus, RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';
import { readUnrealText } from './unreal-text.ts';

const INFO = 0;
const PLAYERS = 2;
/** Length of a header: a version, of which only the first byte is used, and a type. */
const HEADER_BYTES = 5;

const MAX_PLAYERS = 1024;

// Length of the ping before the server's flags; Killing Floor puts two wave numbers in between.
const PING_BYTES = 4;
const FLAGS_AT = [PING_BYTES, PING_BYTES + 8];
const PASSWORD_FLAG = 1;
/** Most bytes after the last text; only zeros were seen there. */
const MAX_TAIL = 4;

/**
 * Asks for the info and, if there are players, for their list. The list may take several datagrams, and none
 * says that it is the last.
 */
class Unreal2Exchange implements DatagramExchange {
  #status: CountedStatus | undefined;
  /** Players by number and name, so that a duplicated datagram adds nobody twice. */
  readonly #players = new Map<string, RawPlayer>();
  #bots = 0;

  request(): Buffer[] {
    return [question(INFO)];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => this.#read(datagram));
    const status = this.partial();
    // The info alone is a complete status: a bad reply only costs the rest of the players.
    return step.kind === 'malformed' && status ? { kind: 'done', status } : step;
  }

  partial(): RawStatus | undefined {
    if (!this.#status || this.#players.size === 0) return this.#status;
    const playerList = [...this.#players.values()];
    // The info's player count sometimes omits bots.
    const players = Math.max(this.#status.players, playerList.length);
    return { ...this.#status, players, numbots: this.#bots, playerList };
  }

  #read(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES || datagram.readUInt32LE(0) > 0xff) {
      throw new MalformedReply('no Unreal 2 reply');
    }
    // Ignores late and duplicated replies.
    if (datagram[HEADER_BYTES - 1] !== (this.#status ? PLAYERS : INFO)) return MORE;
    const body = datagram.subarray(HEADER_BYTES);
    if (this.#status) return this.#readPlayers(new ByteReader(body), this.#status.players);
    this.#status = readInfo(body);
    if (this.#status.players === 0) return { kind: 'done', status: this.#status };
    return { kind: 'send', packets: [question(PLAYERS)] };
  }

  #readPlayers(reader: ByteReader, expected: number): Step {
    while (reader.remaining > 0) {
      const number = reader.u32();
      const name = readUnrealText(reader);
      const ping = reader.u32();
      const score = reader.i32();
      reader.skip(4); // the number of their statistics
      const key = `${number} ${name}`;
      // Number 0 stands for a team.
      if (number === 0 || this.#players.has(key)) continue;
      if (this.#players.size === MAX_PLAYERS) throw new MalformedReply(`more than ${MAX_PLAYERS} players`);
      this.#players.set(key, { name, score });
      if (ping === 0) this.#bots++;
    }
    const status = this.partial();
    return status && this.#players.size >= expected ? { kind: 'done', status } : MORE;
  }
}

function question(wanted: number): Buffer {
  return Buffer.from([0x79, 0, 0, 0, wanted]);
}

function readInfo(body: Buffer): CountedStatus {
  const reader = new ByteReader(body);
  reader.skip(4); // the server's number
  readUnrealText(reader); // address, empty
  const port = reader.u32();
  reader.skip(4); // query port, zero
  const name = readUnrealText(reader);
  const map = readUnrealText(reader);
  readUnrealText(reader); // the kind of game
  const status: CountedStatus = { name, map, players: reader.u32(), maxplayers: reader.u32() };
  if (port > 0 && port <= 0xffff) status.connectPort = port;
  if (reader.remaining < PING_BYTES) throw new MalformedReply('cut short behind maxplayers');
  const flags = readFlags(reader.bytes(reader.remaining));
  if (flags !== undefined) status.password = (flags & PASSWORD_FLAG) !== 0;
  return status;
}

/**
 * Reads the flags; undefined for games without flags. In games with flags almost nothing follows the last
 * text.
 */
function readFlags(tail: Buffer): number | undefined {
  for (const at of FLAGS_AT) {
    const reader = new ByteReader(tail, at);
    try {
      const flags = reader.u32();
      readUnrealText(reader); // difficulty
      if (reader.remaining <= MAX_TAIL) return flags;
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
    }
  }
  return undefined;
}

/** The protocol of Unreal Engine 2: Unreal Tournament 2003 and 2004, Killing Floor, Red Orchestra. */
export const unreal2: Protocol = { transport: 'udp', colours: 'none', open: () => new Unreal2Exchange() };
