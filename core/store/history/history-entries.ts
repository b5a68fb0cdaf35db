import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { IncidentEvent } from '../../history/history-store.ts';
import { type Reason, reasons } from '../../servers/server-record.ts';

// Keys in the LevelDB directories of the history. A number in brackets is the length of a part in bytes. `hash` is a
// hash of the server key with a secret key. Without this secret, nobody can choose servers with the same hash.

// Keys in the directories with samples (`minutes`). A number in brackets is a length in bytes:
// - hour(1) hash(8): the samples of a server in one hour. `hour` is the index of the hour in the directory.
// - 'L' hash(8): the server has late samples. They were stored after the roll-up (summary) of their day.
// - 'R': all samples in the directory are rolled up.

// LevelDB keys in directories with figures of quarter hours (`quarters`). A number in brackets is a length in bytes:
// - day(1) hash(8): the figures of a server for all quarter hours of one day. `day` is the index of the day in the
//   directory.

// Keys in the directories with daily figures and incidents (`days`). A number in brackets is a length in bytes:
// - 'D' hash(8): the figures of a server for each day in the month of the directory.
// - 'I' hash(8) time(6): the server went offline or came back at this time (Unix ms).
// - 'C': the directory is compacted.

// LevelDB keys in the directory of the removed servers (`removed`). A number in brackets is a length in bytes:
// - hash(8): the time at which the server was removed.

// The value of each history entry begins with a checksum of two bytes: the lower half of the CRC-32 of key and
// content.

const HASH_BYTES = 8;
const CHECK_BYTES = 2;
const TIME_BYTES = 6;
const LATE = 0x4c;
const DAYS = 0x44;
const INCIDENT = 0x49;

/** Key of the entry which says that all samples of this LevelDB directory are rolled up (summarised by day). */
export const ROLLED_KEY = Buffer.from('R');
/** Key of the entry which says that the LevelDB directory of a finished month is compacted. */
export const COMPACTED_KEY = Buffer.from('C');
/** The lowest possible hash of a server. A read of all servers begins at this hash. */
export const FIRST_HASH = Buffer.alloc(HASH_BYTES);

/** Returns the keyed hash (HMAC) of a server key. The hash stands for the server in all keys of the history. */
export function hashServer(secret: Buffer, serverKey: string): Buffer {
  return createHmac('sha256', secret).update(serverKey).digest().subarray(0, HASH_BYTES);
}

function prefixed(prefix: number, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(prefix), ...parts]);
}

/**
 * Returns the LevelDB key of a server's samples in one hour, or of its figures on one day. `number`: index of the hour
 * or day in its directory, from 0. `hash`: hash of the server key.
 */
export function slotKey(number: number, hash: Buffer): Buffer {
  return prefixed(number, hash);
}

/**
 * Returns the key of the entry which says that a server has late samples: samples that were stored after the figures
 * of their day were computed.
 */
export function lateKey(hash: Buffer): Buffer {
  return prefixed(LATE, hash);
}

/** Returns the LevelDB key of a server's daily figures in a directory of one month. */
export function daysKey(hash: Buffer): Buffer {
  return prefixed(DAYS, hash);
}

/**
 * Returns the LevelDB keys between which all entries of one hour or day lie (see `slotKey`). `number`: index of the
 * hour or day in its directory, from 0. `from`: lowest server hash in the range. The returned `to` is the first key
 * after the range.
 */
export function slotRange(number: number, from: Buffer = FIRST_HASH): [from: Buffer, to: Buffer] {
  return [prefixed(number, from), Buffer.of(number + 1)];
}

/** Returns the range of the keys of all entries which say that a server has late samples (`lateKey`). */
export function lateRange(): [from: Buffer, to: Buffer] {
  return slotRange(LATE);
}

/**
 * Returns the key of the entry which says that a server went offline or came back. `at`: time of this event, Unix ms.
 */
export function incidentKey(hash: Buffer, at: number): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(at, 0, TIME_BYTES);
  return prefixed(INCIDENT, hash, time);
}

/**
 * Returns the range of the keys of all entries which say that this server went offline or came back (`incidentKey`).
 */
export function incidentRange(hash: Buffer): [from: Buffer, to: Buffer] {
  return [prefixed(INCIDENT, hash), prefixed(INCIDENT, hash, Buffer.alloc(TIME_BYTES + 1, 0xff))];
}

/** Returns the hash of the server from a key of a history entry. */
export function hashIn(key: Buffer): Buffer {
  return key.length === HASH_BYTES ? key : key.subarray(1, 1 + HASH_BYTES);
}

/**
 * True if the entry with this key is only a mark, without data. A mark says that a directory is rolled up (summarised
 * by day) or compacted, or that a server has late samples.
 */
export function isMark(key: Buffer): boolean {
  return key.length === 1 || (key.length === 1 + HASH_BYTES && key[0] === LATE);
}

/**
 * Returns the key at which the next page of a read begins: the lowest key that is greater than `hash`. `hash`: hash of
 * the last server of the previous page.
 */
export function nextHash(hash: Buffer): Buffer {
  return Buffer.concat([hash, Buffer.of(0)]);
}

function check(key: Buffer, content: Uint8Array): number {
  return crc32(content, crc32(key)) & 0xffff;
}

/** Returns the value of a history entry: the checksum, and then the content. */
export function sealEntry(key: Buffer, content: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(CHECK_BYTES + content.length);
  value.writeUInt16LE(check(key, content), 0);
  value.set(content, CHECK_BYTES);
  return value;
}

/**
 * Returns the content of a history entry. Returns undefined if key and content do not match the checksum in the value.
 */
export function openEntry(key: Buffer, value: Buffer): Buffer | undefined {
  if (value.length < CHECK_BYTES) return undefined;
  const content = value.subarray(CHECK_BYTES);
  return value.readUInt16LE(0) === check(key, content) ? content : undefined;
}

/**
 * Returns the content of an incident entry, for the history. `reason`: why the server went offline; undefined if the
 * server came back.
 */
export function encodeIncident(reason: Reason | undefined): Buffer {
  return Buffer.of(reason === undefined ? 0 : reasons.indexOf(reason) + 1);
}

/** Returns the event (a server went offline or came back) that an incident entry of the history contains. */
export function decodeIncident(key: Buffer, content: Buffer): IncidentEvent {
  const at = key.readUIntBE(1 + HASH_BYTES, TIME_BYTES);
  const code = content[0] ?? 0;
  return { at, reason: code === 0 ? undefined : (reasons[code - 1] ?? 'no_reply') };
}

/** Encodes the time at which a server was removed, as the content of a history entry. `at`: the time, Unix ms. */
export function encodeTime(at: number): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(at, 0, TIME_BYTES);
  return time;
}

/** Decodes the time at which a server was removed, Unix ms. `content`: the bytes that `encodeTime` returned. */
export function decodeTime(content: Buffer): number {
  return content.length === TIME_BYTES ? content.readUIntBE(0, TIME_BYTES) : 0;
}
