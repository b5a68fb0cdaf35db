// The UDP status query of Ventrilo, a voice server. Source: ventrilo.c of https://github.com/Unity-Technologies/qstat

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { decodeLatin1 } from './byte-reader.ts';
import {
  type DatagramExchange,
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';
import { crc16, HEADER_BYTES, shiftBody, shiftHeader } from './ventrilo-cipher.ts';

/**
 * Ventrilo command that requests the status with channels and clients. Command 1 requests the status without channels
 * and clients.
 */
const DETAILS = 2;
const PASSWORD_BYTES = 16;

const MAX_PARTS = 32;
const MAX_PART_BYTES = 492;

// Offsets of the 16-bit fields in the decrypted header of a Ventrilo packet, bytes. Each packet begins with an
// unencrypted key of two bytes. Offset 0 is the first byte after this key.
const AT_ZERO = 0;
const AT_COMMAND = 2;
const AT_ID = 4;
const AT_TOTAL_BYTES = 6;
const AT_BYTES = 8;
const AT_PARTS = 10;
const AT_PART = 12;
const AT_BODY_KEY = 14;
const AT_CRC = 16;

const WHOLE_NUMBER = /^\d{1,9}$/;

class VentriloExchange implements DatagramExchange {
  readonly #id: number;
  readonly #question: Buffer;
  /**
   * Size, packet count and checksum of the reply. Each packet of the reply contains the same three values. Undefined
   * until a packet arrives.
   */
  #reply: string | undefined;
  readonly #packets = new Map<number, Buffer>();

  constructor({ nonce }: ExchangeContext) {
    const random = Buffer.alloc(8);
    random.writeBigUInt64BE(BigInt.asUintN(64, nonce));
    this.#id = random.readUInt16BE(6);
    this.#question = encodeQuestion(random, this.#id);
  }

  request(): Buffer[] {
    return [this.#question];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => this.#read(datagram));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }

  #read(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES)
      throw new MalformedReply(`${datagram.length} bytes, less than a header`);
    const key = { start: datagram.readUInt8(0), step: datagram.readUInt8(1) };
    const words = shiftHeader(datagram.subarray(2, HEADER_BYTES), key, -1);
    if (words.readUInt16BE(AT_ZERO) !== 0) throw new MalformedReply('no Ventrilo reply');
    if (words.readUInt16BE(AT_ID) !== this.#id) return MORE;
    const total = words.readUInt16BE(AT_TOTAL_BYTES);
    const packets = words.readUInt16BE(AT_PARTS);
    const part = words.readUInt16BE(AT_PART);
    const crc = words.readUInt16BE(AT_CRC);
    const size = datagram.length - HEADER_BYTES;
    if (size !== words.readUInt16BE(AT_BYTES) || size > MAX_PART_BYTES)
      throw new MalformedReply(`a part of ${size} bytes`);
    if (packets > MAX_PARTS || part >= packets) throw new MalformedReply(`part ${part} of ${packets}`);
    const reply = `${total} ${packets} ${crc}`;
    this.#reply ??= reply;
    if (reply !== this.#reply) throw new MalformedReply('parts that do not agree');
    const bodyKey = { start: words.readUInt8(AT_BODY_KEY), step: words.readUInt8(AT_BODY_KEY + 1) };
    this.#packets.set(part, shiftBody(datagram.subarray(HEADER_BYTES), bodyKey, -1));
    if (this.#packets.size < packets) return MORE;
    const text = Buffer.concat(
      Array.from({ length: packets }, (_, i) => this.#packets.get(i) ?? Buffer.alloc(0)),
    );
    if (text.length !== total || crc16(text) !== crc) throw new MalformedReply('the checksum does not match');
    return { kind: 'done', status: readStatus(text.toString('latin1')) };
  }
}

function encodeQuestion(random: Buffer, id: number): Buffer {
  const headerKey = { start: random.readUInt8(0), step: random.readUInt8(1) || 1 };
  const bodyKey = { start: random.readUInt8(2), step: random.readUInt8(3) || 1 };
  const password = Buffer.alloc(PASSWORD_BYTES); // All zeros mean no password.
  const words = Buffer.alloc(HEADER_BYTES - 2);
  words.writeUInt16BE(DETAILS, AT_COMMAND);
  words.writeUInt16BE(id, AT_ID);
  words.writeUInt16BE(password.length, AT_TOTAL_BYTES);
  words.writeUInt16BE(password.length, AT_BYTES);
  words.writeUInt16BE(1, AT_PARTS);
  words.writeUInt8(bodyKey.start, AT_BODY_KEY);
  words.writeUInt8(bodyKey.step, AT_BODY_KEY + 1);
  words.writeUInt16BE(crc16(password), AT_CRC);
  return Buffer.concat([
    Buffer.from([headerKey.start, headerKey.step]),
    shiftHeader(words, headerKey, 1),
    shiftBody(password, bodyKey, 1),
  ]);
}

/** Parses a Ventrilo reply of lines `KEY: value`. Each line contains one server property, one channel or one client. */
function readStatus(text: string): RawStatus {
  const facts = new Map<string, string>();
  const playerList: RawPlayer[] = [];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    const [key, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
    if (key === 'CLIENT') {
      const client = readClient(value);
      if (client) playerList.push(client);
    } else if (!facts.has(key)) facts.set(key, unescaped(value));
  }
  const count = (key: string): number => {
    const value = facts.get(key);
    if (value === undefined || !WHOLE_NUMBER.test(value)) throw new MalformedReply(`no number ${key}`);
    return Number(value);
  };
  const status: RawStatus = {
    name: facts.get('NAME') ?? '',
    players: count('CLIENTCOUNT'),
    maxplayers: count('MAXCLIENTS'),
    playerList,
  };
  // The property AUTH in the status of a Ventrilo server is 0 if no password is needed, 1 if all users need the same
  // password, and 2 if each user has a password.
  const access = facts.get('AUTH');
  if (access !== undefined) status.password = access !== '0';
  const version = facts.get('VERSION');
  if (version !== undefined) status.version = version;
  return status;
}

/**
 * Parses a client line such as `ADMIN=0,CID=305,PHAN=0,PING=63,SEC=2181,NAME=Tuzik,COMM=`. Returns undefined if PHAN is
 * 1, because the line is a duplicate: the client is present in two channels.
 */
function readClient(value: string): RawPlayer | undefined {
  const fields = new Map<string, string>();
  for (const field of value.split(',')) {
    const equals = field.indexOf('=');
    if (equals > 0) fields.set(field.slice(0, equals), field.slice(equals + 1));
  }
  if (fields.get('PHAN') === '1') return undefined;
  const player: RawPlayer = { name: unescaped(fields.get('NAME') ?? '') };
  const seconds = fields.get('SEC');
  if (seconds !== undefined && WHOLE_NUMBER.test(seconds)) player.time = Number(seconds);
  return player;
}

/** Decodes percent escapes such as `%2C`. Ventrilo servers escape characters that would separate lines or fields. */
function unescaped(value: string): string {
  const latin1 = value.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return decodeLatin1(latin1);
}

/** The protocol of Ventrilo servers since version 3.0, and of older servers with the status query switched on. */
export const ventrilo: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new VentriloExchange(context),
};
