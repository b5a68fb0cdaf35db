import { PayloadReader, PLAYER_TAG, PlayerReader } from './payload.generated.ts';
import { decodePayload, encodePayload, payloadObject } from './payload-object.ts';
import { WireReader } from './wire-reader.ts';

const payload = new PayloadReader();
const player = new PlayerReader();

/**
 * The gsq.v1.ServerPayload of a report, as bytes in canonical form. In canonical form, fields are sorted by number, no
 * field is unknown, only `optional` fields have default values, texts are valid UTF-8, and `updated` is absent. Bytes
 * that are in canonical form, as `writePayload` writes them, are not copied. Other bytes are encoded again.
 */
export class ReportedPayload {
  /** The buffer that contains the payload from `start` to `end`. */
  bytes: Buffer;
  start: number;
  end: number;
  /** Number of players on the server; -1 if the server does not report it. */
  players = -1;
  /** Maximum number of players; -1 if the server does not report it. */
  maxplayers = -1;
  /** Round-trip time in milliseconds. */
  ping = 0;
  /**
   * Byte range of the fields `ping` and `connect`, whose values can differ between replies that are otherwise equal.
   */
  volatileStart = 0;
  volatileEnd = 0;
  /** True if at least one player has a connection time above 0. */
  isTimed = false;

  /**
   * Reads the message in the current LEN field of `reader`. Throws WireError if it is not a valid payload or a text is
   * not valid UTF-8.
   */
  constructor(reader: WireReader) {
    this.bytes = reader.bytes;
    this.start = reader.start;
    this.end = reader.end;
    if (this.#read(reader.view)) return;
    this.#replace(encodePayload(decodePayload(new WireReader(this.bytes, this.start, this.end))));
  }

  /** Sets unreported counts to 0. Probers of release 0.1.0 omit a count if it is 0. */
  fillInCounts(): void {
    if (this.players >= 0 && this.maxplayers >= 0) return;
    const counts = { players: Math.max(this.players, 0), maxplayers: Math.max(this.maxplayers, 0) };
    this.#replace(encodePayload({ ...payloadObject(this.bytes.subarray(this.start, this.end)), ...counts }));
  }

  /**
   * Returns a copy of the payload bytes. Without a copy, the message around them would stay in memory. It is about a
   * hundred times as large.
   */
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

  /** Reads the payload bytes from `start` to `end`. Returns false if they are not in canonical form. */
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
