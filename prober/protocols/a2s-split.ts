// Reassembles A2S replies that are too long for one datagram. A server splits such a reply into several packets:
// https://developer.valvesoftware.com/wiki/Server_queries#Multi-packet_Response_Format

import { crc32 } from 'node:zlib';
import { decompressBzip2 } from './bzip2.ts';
import { MalformedReply } from './protocol.ts';

const MAX_PARTS = 32;
const MAX_BYTES = 64 * 1024;
/**
 * Offset in a packet at which the packet number and the packet count start, bytes. The number -2 and the id of the
 * reply precede them.
 */
const PART_HEADER = 8;

/**
 * Offset of the payload in a packet of a GoldSrc engine, bytes. GoldSrc stores the packet number and the packet count
 * together in one byte. Source stores them in two bytes.
 */
const GOLDSRC_PAYLOAD = 9;
/** Offset of the payload in a packet of the engine "Source 2006", bytes. */
const OLD_SOURCE_PAYLOAD = 10;
/**
 * Offset of the payload in a packet of a Source engine that is newer than "Source 2006", bytes. Newer engines also send
 * the maximum packet size, in two bytes before the payload.
 */
const SOURCE_PAYLOAD = 12;

/**
 * Length of the header at the start of a compressed reply, bytes. It consists of the size and the CRC-32 of the
 * uncompressed reply.
 */
const COMPRESSED_HEADER = 8;
const BZIP2_MAGIC = Buffer.from('BZh');

interface Layout {
  payloadAt: number;
  compressed: boolean;
}

/** Joins the packets of one split A2S reply. The packets can arrive in any order and more than once. */
export class SplitAssembly {
  /**
   * True if the server has a GoldSrc game engine. Undefined if the engine is unknown, because the A2S_INFO reply has
   * not been read yet.
   */
  readonly #goldsrc: boolean | undefined;
  #id: number | undefined;
  #datagrams: Buffer[] = [];
  #bytes = 0;

  constructor(goldsrc: boolean | undefined) {
    this.#goldsrc = goldsrc;
  }

  /**
   * Adds a packet of a split reply. Returns the reply when it is complete, else undefined. Throws MalformedReply if
   * packets contradict each other, are too many, or cannot be decompressed.
   */
  addPacket(datagram: Buffer): Buffer | undefined {
    if (datagram.length <= PART_HEADER + 1) throw new MalformedReply('a part without content');
    const id = datagram.readInt32LE(4);
    if (id !== this.#id) {
      this.#id = id;
      this.#datagrams = [];
      this.#bytes = 0;
    }
    if (this.#datagrams.some(known => known.equals(datagram))) return undefined;
    this.#bytes += datagram.length;
    if (this.#datagrams.length === MAX_PARTS || this.#bytes > MAX_BYTES) {
      throw new MalformedReply(`more than ${MAX_PARTS} parts or ${MAX_BYTES} bytes`);
    }
    this.#datagrams.push(datagram);
    const layout = this.#layout();
    const joined = layout && this.#join(layout);
    return joined && layout.compressed ? decompress(joined) : joined;
  }

  /**
   * Finds out at which offset the payload begins in each packet, and whether the reply is compressed. Only the first
   * packet of the reply shows this. Its payload begins with -1 in an uncompressed reply, and with a header and bzip2
   * data in a compressed reply. Returns undefined before the first packet arrives.
   */
  #layout(): Layout | undefined {
    for (const datagram of this.#datagrams) {
      if (this.#goldsrc !== false && isMessage(datagram, GOLDSRC_PAYLOAD)) {
        return { payloadAt: GOLDSRC_PAYLOAD, compressed: false };
      }
      if (this.#goldsrc === true || datagram.readUInt8(9) !== 0) continue;
      for (const payloadAt of [SOURCE_PAYLOAD, OLD_SOURCE_PAYLOAD]) {
        if (isMessage(datagram, payloadAt)) return { payloadAt, compressed: false };
        // The highest bit of the reply id marks a compressed reply.
        const compressed = datagram.readInt32LE(4) < 0 && isBzip2(datagram, payloadAt + COMPRESSED_HEADER);
        if (compressed) return { payloadAt, compressed };
      }
    }
    return undefined;
  }

  #join({ payloadAt }: Layout): Buffer | undefined {
    const payloads = new Map<number, Buffer>();
    let total: number | undefined;
    for (const datagram of this.#datagrams) {
      const first = datagram.readUInt8(8);
      const itsTotal = payloadAt === GOLDSRC_PAYLOAD ? first & 0x0f : first;
      const number = payloadAt === GOLDSRC_PAYLOAD ? first >> 4 : datagram.readUInt8(9);
      total ??= itsTotal;
      if (itsTotal !== total || number >= total) throw new MalformedReply('parts that do not agree');
      const payload = datagram.subarray(payloadAt);
      const known = payloads.get(number);
      if (known && !known.equals(payload)) throw new MalformedReply(`part ${number} came twice, unlike`);
      payloads.set(number, payload);
    }
    if (payloads.size !== total) return undefined;
    const inOrder = [...payloads].sort(([a], [b]) => a - b);
    return Buffer.concat(inOrder.map(([, payload]) => payload));
  }
}

function isMessage(datagram: Buffer, at: number): boolean {
  return datagram.length >= at + 4 && datagram.readInt32LE(at) === -1;
}

function isBzip2(datagram: Buffer, at: number): boolean {
  return datagram.subarray(at, at + BZIP2_MAGIC.length).equals(BZIP2_MAGIC);
}

function decompress(joined: Buffer): Buffer {
  const size = joined.readUInt32LE(0);
  const whole = decompressBzip2(joined.subarray(COMPRESSED_HEADER), size);
  if (crc32(whole) !== joined.readUInt32LE(4)) throw new MalformedReply('bzip2 with a wrong checksum');
  return whole;
}
