import { LEN, VARINT, type WireReader } from './wire-reader.ts';

/** Numbers that `ReportedPayload.playerList` has for each player: where its name starts and ends, score, seconds. */
export const PLAYER_NUMBERS = 4;

/**
 * A gsq.v1.ServerPayload of a report, read but for its texts: these stay where they came, as UTF-8, and each lies from
 * its start to its end in `bytes`. The core copies them on as JSON, and would make a string of each only for that. Without
 * `updated`, which is the core's to tell.
 */
export class ReportedPayload {
  readonly bytes: Buffer;
  /** The same memory. */
  readonly view: DataView;
  nameStart = 0;
  nameEnd = 0;
  mapStart = 0;
  mapEnd = 0;
  versionStart = 0;
  versionEnd = 0;
  connectStart = 0;
  connectEnd = 0;
  /** -1: not told. */
  players = -1;
  /** -1: not told. */
  maxplayers = -1;
  numbots = 0;
  ping = 0;
  password = false;
  /** `PLAYER_NUMBERS` of each player. */
  readonly playerList: number[] = [];
  /** A player has been on for some time. */
  isTimed = false;

  /** Reads the message that the LEN field `reader` read last holds. Throws WireError where it is none. */
  constructor(reader: WireReader) {
    this.bytes = reader.bytes;
    this.view = reader.view;
    const outerEnd = reader.enter();
    while (reader.next()) {
      if (reader.type === VARINT) this.#readNumber(reader);
      else if (reader.type === LEN) this.#readText(reader);
    }
    reader.leave(outerEnd);
  }

  #readNumber({ field, uint32, value }: WireReader): void {
    if (field === 3) this.players = uint32;
    else if (field === 4) this.maxplayers = uint32;
    else if (field === 5) this.numbots = uint32;
    else if (field === 6) this.password = value !== 0;
    else if (field === 8) this.ping = uint32;
  }

  #readText(reader: WireReader): void {
    const { field, start, end } = reader;
    if (field === 11) this.#readPlayer(reader);
    else if (field === 1) {
      this.nameStart = start;
      this.nameEnd = end;
    } else if (field === 2) {
      this.mapStart = start;
      this.mapEnd = end;
    } else if (field === 7) {
      this.versionStart = start;
      this.versionEnd = end;
    } else if (field === 9) {
      this.connectStart = start;
      this.connectEnd = end;
    }
  }

  #readPlayer(reader: WireReader): void {
    let nameStart = 0;
    let nameEnd = 0;
    let score = 0;
    let time = 0;
    const outerEnd = reader.enter();
    while (reader.next()) {
      const { field } = reader;
      if (reader.type === VARINT) {
        if (field === 2) score = reader.int32;
        else if (field === 3) time = reader.uint32;
      } else if (reader.type === LEN && field === 1) {
        nameStart = reader.start;
        nameEnd = reader.end;
      }
    }
    reader.leave(outerEnd);
    this.playerList.push(nameStart, nameEnd, score, time);
    if (time > 0) this.isTimed = true;
  }
}
