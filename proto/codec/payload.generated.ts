// Written by npm run payload from proto/payload-fields.ts.
import type { Player } from '../generated/gsq/v1/Player.ts';
import type { ServerPayload } from '../generated/gsq/v1/ServerPayload.ts';
import type { ByteWriter } from './byte-writer.ts';
import { BROKEN, FieldReader } from './field-reader.ts';
import { isUtf8Text } from './utf8-text.ts';

/** Size of the protobuf tag with which each player in an encoded payload begins, in bytes. */
export const PLAYER_TAG = 1;

/**
 * Decodes a gsq.v1.ServerPayload in canonical form (see ReportedPayload) without creating objects. For each string,
 * stores only its start and its end in the buffer. An optional number is -1 if the message lacks it.
 */
export class PayloadReader extends FieldReader {
  nameStart = 0;
  nameEnd = 0;
  mapStart = 0;
  mapEnd = 0;
  players = -1;
  maxplayers = -1;
  numbots = 0;
  password = false;
  versionStart = 0;
  versionEnd = 0;
  ping = 0;
  connectStart = 0;
  connectEnd = 0;
  playerListStart = 0;
  playerListEnd = 0;
  playerCount = 0;
  /** Byte range of the fields that can change with each probe: ping, connect. */
  volatileStart = 0;
  volatileEnd = 0;

  /**
   * Reads the message from `start` to `end`. Returns false if the message is not in canonical form, or has fields that this
   * release does not know.
   */
  read(bytes: Buffer, start: number, end: number): boolean {
    let at = start;
    this.nameStart = at;
    this.nameEnd = at;
    if (at < end && bytes[at] === 10) {
      this.nameStart = this.length(bytes, at + 1, end);
      at = this.value > 0 ? this.nameStart + this.value : BROKEN;
      this.nameEnd = at;
    }
    this.mapStart = at;
    this.mapEnd = at;
    if (at < end && bytes[at] === 18) {
      this.mapStart = this.length(bytes, at + 1, end);
      at = this.value > 0 ? this.mapStart + this.value : BROKEN;
      this.mapEnd = at;
    }
    this.players = -1;
    if (at < end && bytes[at] === 24) {
      at = this.number(bytes, at + 1, end);
      this.players = this.low >>> 0;
      if (this.value > 0xffffffff) at = BROKEN;
    }
    this.maxplayers = -1;
    if (at < end && bytes[at] === 32) {
      at = this.number(bytes, at + 1, end);
      this.maxplayers = this.low >>> 0;
      if (this.value > 0xffffffff) at = BROKEN;
    }
    this.numbots = 0;
    if (at < end && bytes[at] === 40) {
      at = this.number(bytes, at + 1, end);
      this.numbots = this.low >>> 0;
      if (this.value === 0 || this.value > 0xffffffff) at = BROKEN;
    }
    this.password = at < end && bytes[at] === 48;
    if (this.password) {
      at = this.number(bytes, at + 1, end);
      if (this.value !== 1) at = BROKEN;
    }
    this.versionStart = at;
    this.versionEnd = at;
    if (at < end && bytes[at] === 58) {
      this.versionStart = this.length(bytes, at + 1, end);
      at = this.value > 0 ? this.versionStart + this.value : BROKEN;
      this.versionEnd = at;
    }
    this.volatileStart = at;
    this.ping = 0;
    if (at < end && bytes[at] === 64) {
      at = this.number(bytes, at + 1, end);
      this.ping = this.low >>> 0;
      if (this.value === 0 || this.value > 0xffffffff) at = BROKEN;
    }
    this.connectStart = at;
    this.connectEnd = at;
    if (at < end && bytes[at] === 74) {
      this.connectStart = this.length(bytes, at + 1, end);
      at = this.value > 0 ? this.connectStart + this.value : BROKEN;
      this.connectEnd = at;
    }
    this.volatileEnd = at;
    this.playerListStart = at;
    this.playerCount = 0;
    while (at < end && bytes[at] === 90) {
      at = this.length(bytes, at + 1, end) + this.value;
      this.playerCount++;
    }
    this.playerListEnd = at;
    return at === end;
  }

  /** Returns true if all strings of the most recent message (see `read`) are valid UTF-8. */
  hasValidText(bytes: Buffer, view: DataView): boolean {
    return isUtf8Text(bytes, view, this.nameStart, this.nameEnd) &&
      isUtf8Text(bytes, view, this.mapStart, this.mapEnd) &&
      isUtf8Text(bytes, view, this.versionStart, this.versionEnd) &&
      isUtf8Text(bytes, view, this.connectStart, this.connectEnd);
  }
}

/**
 * Decodes a gsq.v1.Player in canonical form (see ReportedPayload) without creating objects. For each string,
 * stores only its start and its end in the buffer. An optional number is -1 if the message lacks it.
 */
export class PlayerReader extends FieldReader {
  nameStart = 0;
  nameEnd = 0;
  score = 0;
  time = 0;

  /**
   * Reads the message from `start` to `end`. Returns false if the message is not in canonical form, or has fields that this
   * release does not know.
   */
  read(bytes: Buffer, start: number, end: number): boolean {
    let at = start;
    this.nameStart = at;
    this.nameEnd = at;
    if (at < end && bytes[at] === 10) {
      this.nameStart = this.length(bytes, at + 1, end);
      at = this.value > 0 ? this.nameStart + this.value : BROKEN;
      this.nameEnd = at;
    }
    this.score = 0;
    if (at < end && bytes[at] === 16) {
      at = this.number(bytes, at + 1, end);
      this.score = this.low;
      if (this.value === 0 || this.isWide()) at = BROKEN;
    }
    this.time = 0;
    if (at < end && bytes[at] === 24) {
      at = this.number(bytes, at + 1, end);
      this.time = this.low >>> 0;
      if (this.value === 0 || this.value > 0xffffffff) at = BROKEN;
    }
    return at === end;
  }

  /** Returns true if all strings of the most recent message (see `read`) are valid UTF-8. */
  hasValidText(bytes: Buffer, view: DataView): boolean {
    return isUtf8Text(bytes, view, this.nameStart, this.nameEnd);
  }
}

/** Encodes a payload in canonical form: the form in which probers report payloads and the core stores them. */
export function writePayload(out: ByteWriter, message: ServerPayload): void {
  out.textField(1, message.name ?? '');
  out.textField(2, message.map ?? '');
  if (message.players !== undefined) out.optionalUintField(3, message.players);
  if (message.maxplayers !== undefined) out.optionalUintField(4, message.maxplayers);
  out.uintField(5, message.numbots ?? 0);
  out.uintField(6, message.password ? 1 : 0);
  out.textField(7, message.version ?? '');
  out.uintField(8, message.ping ?? 0);
  out.textField(9, message.connect ?? '');
  for (const player of message.playerList ?? []) writePlayer(out, 11, player);
}

function writePlayer(out: ByteWriter, field: number, message: Player): void {
  // Maximum size of an encoded player: three bytes for each UTF-16 unit of a string, and a constant for the rest.
  const start = out.openField(field, 22 + 3 * (message.name?.length ?? 0));
  out.textField(1, message.name ?? '');
  out.intField(2, message.score ?? 0);
  out.uintField(3, message.time ?? 0);
  out.closeField(start);
}
