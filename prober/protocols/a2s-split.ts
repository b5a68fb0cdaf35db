// Reassembles A2S replies that are longer than one datagram:
// https://developer.valvesoftware.com/wiki/Server_queries#Multi-packet_Response_Format

import { crc32 } from 'node:zlib';
import { decompressBzip2 } from './bzip2.ts';
import { MalformedReply } from './protocol.ts';

const MAX_PARTS = 32;
const MAX_BYTES = 64 * 1024;
/** Offset of the packet numbers, after `-2` and the reply's id. */
const PART_HEADER = 8;

/**
 * Offset of the payload in a GoldSrc packet, which holds number and total in one byte; Source uses a byte for
 * each.
 */
const GOLDSRC_PAYLOAD = 9;
/** Offset of the payload in packets of Source engines of 2006. */
const OLD_SOURCE_PAYLOAD = 10;
/** Offset of the payload in packets of later Source engines, which add the split size. */
const SOURCE_PAYLOAD = 12;

/** Header of compressed data in the first packet: size and CRC-32 of the uncompressed reply. */
const COMPRESSED_HEADER = 8;
const BZIP2_MAGIC = Buffer.from('BZh');

interface Layout {
  payloadAt: number;
  compressed: boolean;
}

/** Reassembles the packets of one reply, in any order and with duplicates. */
export class SplitAssembly {
  /** Whether the engine is GoldSrc. Undefined while unknown, if the A2S_INFO reply itself is split. */
  readonly #goldsrc: boolean | undefined;
  #id: number | undefined;
  #datagrams: Buffer[] = [];
  #bytes = 0;

  constructor(goldsrc: boolean | undefined) {
    this.#goldsrc = goldsrc;
  }

  /**
   * Adds a packet, which begins with `-2`. Returns the whole reply with its `-1` header once the last packet
   * has arrived. Throws MalformedReply if packets contradict each other, are too many, or do not decompress
   * to the announced size and checksum.
   */
  add(datagram: Buffer): Buffer | undefined {
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
   * Finds the layout from the first packet: only one layout puts `-1` or a bzip2 header at the payload's
   * start.
   */
  #layout(): Layout | undefined {
    for (const datagram of this.#datagrams) {
      if (this.#goldsrc !== false && isMessage(datagram, GOLDSRC_PAYLOAD)) {
        return { payloadAt: GOLDSRC_PAYLOAD, compressed: false };
      }
      if (this.#goldsrc === true || datagram.readUInt8(9) !== 0) continue;
      for (const payloadAt of [SOURCE_PAYLOAD, OLD_SOURCE_PAYLOAD]) {
        if (isMessage(datagram, payloadAt)) return { payloadAt, compressed: false };
        // The highest bit of the id says that the reply is compressed.
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
