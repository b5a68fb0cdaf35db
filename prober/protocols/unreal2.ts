// The query of Unreal Engine 2. Source: protocols/unreal2.js of https://github.com/gamedig/node-gamedig. Source for the
// flags of a server: KFTurboServer/Classes/KFTurboMasterServerUplink.uc of https://github.com/KFPilot/KFTurbo

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
/**
 * Length of the header of a request or reply, bytes: four bytes of version and one type byte. The last three bytes of
 * the version are zero.
 */
const HEADER_BYTES = 5;

const MAX_PLAYERS = 1024;

// `FLAGS_AT`: the two possible offsets of the server flags in the info reply, counted from its ping field. Usually, the
// flags follow the ping directly. Killing Floor sends two other 32-bit numbers between them.
const PING_BYTES = 4;
const FLAGS_AT = [PING_BYTES, PING_BYTES + 8];
const PASSWORD_FLAG = 1;
/** Maximum number of bytes after the last string of the info reply. In replies of real servers, these bytes are 0. */
const MAX_TAIL = 4;

/**
 * Requests the server info, and then the player list. The packets do not say where the list ends, so the list counts
 * as complete when it has as many players as the server info reports.
 */
class Unreal2Exchange implements DatagramExchange {
  #status: CountedStatus | undefined;
  /**
   * The players received so far. The key consists of player number and player name, so a duplicated datagram adds no
   * player twice.
   */
  readonly #players = new Map<string, RawPlayer>();
  #bots = 0;

  request(): Buffer[] {
    return [question(INFO)];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => this.#read(datagram));
    const status = this.partial();
    // If the first reply (server info) was valid, a malformed later reply does not make the probe fail. The status then
    // contains the server info and the players read so far.
    return step.kind === 'malformed' && status ? { kind: 'done', status } : step;
  }

  partial(): RawStatus | undefined {
    if (!this.#status || this.#players.size === 0) return this.#status;
    const playerList = [...this.#players.values()];
    // Some servers do not count bots. Therefore, if the player list is longer than the player count of the server,
    // reports the length of the list as the player count.
    const players = Math.max(this.#status.players, playerList.length);
    return { ...this.#status, players, numbots: this.#bots, playerList };
  }

  #read(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES || datagram.readUInt32LE(0) > 0xff) {
      throw new MalformedReply('no Unreal 2 reply');
    }
    // Ignores a reply whose type does not match the current request, because such a reply is late or a duplicate.
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
      reader.skip(4); // unused field: statistics id of the player
      const key = `${number} ${name}`;
      // Skips list entries with the player number 0, because they are teams and not players.
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
  reader.skip(4); // unused field: id of the server
  readUnrealText(reader); // unused field: address, empty
  const port = reader.u32();
  reader.skip(4); // unused field: query port, zero
  const name = readUnrealText(reader);
  const map = readUnrealText(reader);
  readUnrealText(reader); // unused field: game type
  const status: CountedStatus = { name, map, players: reader.u32(), maxplayers: reader.u32() };
  if (port > 0 && port <= 0xffff) status.connectPort = port;
  if (reader.remaining < PING_BYTES) throw new MalformedReply('cut short behind maxplayers');
  const flags = readFlags(reader.bytes(reader.remaining));
  if (flags !== undefined) status.password = (flags & PASSWORD_FLAG) !== 0;
  return status;
}

/**
 * Reads the server flags from the info reply. `tail`: the end of the reply, from the ping field on. The flags can be at
 * two offsets (FLAGS_AT). An offset is right if one string and at most four more bytes follow the flags. Returns
 * undefined if neither offset is right.
 */
function readFlags(tail: Buffer): number | undefined {
  for (const at of FLAGS_AT) {
    const reader = new ByteReader(tail, at);
    try {
      const flags = reader.u32();
      readUnrealText(reader); // unused field: difficulty
      if (reader.remaining <= MAX_TAIL) return flags;
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
    }
  }
  return undefined;
}

/** The protocol of Unreal Engine 2: Unreal Tournament 2003 and 2004, Killing Floor, Red Orchestra. */
export const unreal2: Protocol = { transport: 'udp', colours: 'none', open: () => new Unreal2Exchange() };
