import { PayloadReader, PLAYER_TAG, PlayerReader } from './payload.generated.ts';
import { decodePayload, encodePayload, payloadObject } from './payload-object.ts';
import { WireReader } from './wire-reader.ts';

const payload = new PayloadReader();
const player = new PlayerReader();

/**
 * A gsq.v1.ServerPayload from a report of a prober. This class converts it to canonical form: fields sorted by number,
 * valid UTF-8, no unknown field, no `updated`, and default values only in `optional` fields.
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
  /** Number of bots on the server; 0 if the server does not report it. */
  bots = 0;
  /** Round-trip time between the prober and the game server, in milliseconds. */
  ping = 0;
  /**
   * Start and end of the fields `ping` and `connect` in the payload. A comparison of two payloads skips these bytes,
   * because both fields can differ even between identical replies of the game server.
   */
  volatileStart = 0;
  volatileEnd = 0;
  /** True if the payload contains play times: at least one player has been connected for more than 0 seconds. */
  isTimed = false;

  /**
   * Reads the payload (data of a game server) in the current LEN field of `reader`. Throws WireError if it is not a
   * valid payload or one of its texts is not valid UTF-8.
   */
  constructor(reader: WireReader) {
    this.bytes = reader.bytes;
    this.start = reader.start;
    this.end = reader.end;
    if (this.#read(reader.view)) return;
    this.#replace(encodePayload(decodePayload(new WireReader(this.bytes, this.start, this.end))));
  }

  /**
   * Sets the player count and the maximum number of players to 0 if they are absent. Call this only for probers of
   * release 0.1.0: in their reports, an absent count means 0.
   */
  fillInCounts(): void {
    if (this.players >= 0 && this.maxplayers >= 0) return;
    const counts = { players: Math.max(this.players, 0), maxplayers: Math.max(this.maxplayers, 0) };
    this.#replace(encodePayload({ ...payloadObject(this.bytes.subarray(this.start, this.end)), ...counts }));
  }

  /**
   * Length of the payload fields before the field `ping`, in bytes. Only changes of these fields appear in the change
   * feed (core/feed/visible-fields.ts).
   */
  get visibleEnd(): number {
    return this.volatileStart - this.start;
  }

  /**
   * Returns a copy of the payload bytes. The received message, which is about a hundred times as large, can then be
   * freed.
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

  /**
   * Reads the payload (data of a game server) in `bytes` and sets the properties of this object. Returns false if the
   * payload is not in canonical form. `view`: a DataView of the memory of `bytes`.
   */
  #read(view: DataView): boolean {
    const { bytes } = this;
    if (!payload.read(bytes, this.start, this.end) || !payload.hasValidText(bytes, view)) return false;
    this.players = payload.players;
    this.maxplayers = payload.maxplayers;
    this.bots = payload.numbots;
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
