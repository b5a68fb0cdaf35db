import { PayloadReader, PLAYER_TAG, PlayerReader } from './payload.generated.ts';
import { decodePayload, encodePayload, payloadObject } from './payload-object.ts';
import { WireReader } from './wire-reader.ts';

const payload = new PayloadReader();
const player = new PlayerReader();

/**
 * A gsq.v1.ServerPayload of a report, as bytes in canonical form: fields in the order of their numbers, none
 * unknown, default values only in `optional` fields, texts in UTF-8, no `updated`. Bytes in canonical form,
 * as `writePayload` writes them, are used in place; others are encoded again.
 */
export class ReportedPayload {
  /** The memory that holds the payload from `start` to `end`. */
  bytes: Buffer;
  start: number;
  end: number;
  /** Players on the server; -1 if the server does not tell. */
  players = -1;
  /** Slots of the server; -1 if the server does not tell. */
  maxplayers = -1;
  /** Round trip time, ms. */
  ping = 0;
  /** Range of the fields `ping` and `connect`, which differ between otherwise equal replies. */
  volatileStart = 0;
  volatileEnd = 0;
  /** A player has been on for some time. */
  isTimed = false;

  /** Reads the message that the LEN field `reader` read last holds. Throws WireError if it is none, or has invalid text. */
  constructor(reader: WireReader) {
    this.bytes = reader.bytes;
    this.start = reader.start;
    this.end = reader.end;
    if (this.#read(reader.view)) return;
    this.#replace(encodePayload(decodePayload(new WireReader(this.bytes, this.start, this.end))));
  }

  /** Makes counts that are not told zero, as probers of 0.1.0 mean them. */
  fillInCounts(): void {
    if (this.players >= 0 && this.maxplayers >= 0) return;
    const counts = { players: Math.max(this.players, 0), maxplayers: Math.max(this.maxplayers, 0) };
    this.#replace(encodePayload({ ...payloadObject(this.bytes.subarray(this.start, this.end)), ...counts }));
  }

  /** A copy of the bytes: the message that they came in is a hundred times as large. */
  data(): Buffer {
    const data = Buffer.allocUnsafe(this.end - this.start);
    data.set(this.bytes.subarray(this.start, this.end));
    return data;
  }

  #replace(bytes: Buffer): void {
    this.bytes = bytes;
    this.start = 0;
    this.end = bytes.length;
    if (!this.#read(new DataView(bytes.buffer, bytes.byteOffset, bytes.length)))
      throw new Error('a payload that was written in canonical form does not read as such');
  }

  /** False if the bytes are not canonical. */
  #read(view: DataView): boolean {
    const { bytes } = this;
    if (!payload.read(bytes, this.start, this.end) || !payload.hasValidText(bytes, view)) return false;
    this.players = payload.players;
    this.maxplayers = payload.maxplayers;
    this.ping = payload.ping;
    this.volatileStart = payload.volatileStart;
    this.volatileEnd = payload.volatileEnd;
    this.isTimed = false;
    let at = payload.playerListStart;
    for (let left = payload.playerCount; left > 0; left--) {
      const start = player.length(bytes, at + PLAYER_TAG, this.end);
      at = start + player.value;
      if (!player.read(bytes, start, at) || !player.hasValidText(bytes, view)) return false;
      if (player.time > 0) this.isTimed = true;
    }
    return true;
  }
}
