// Replies longer than one datagram.
// https://developer.valvesoftware.com/wiki/Server_queries#Multi-packet_Response_Format

import { crc32 } from 'node:zlib';
import { decompressBzip2 } from './bzip2.ts';
import { MalformedReply } from './protocol.ts';

const MAX_PARTS = 32;
const MAX_BYTES = 64 * 1024;
/** Behind `-2` and the id. */
const PART_HEADER = 8;

/** Where a part's payload begins: GoldSrc packs number and total into one byte, Source gives each its own. */
const GOLDSRC_PAYLOAD = 9;
/** Source engines of 2006. */
const OLD_SOURCE_PAYLOAD = 10;
/** The later ones, which add the size they split at. */
const SOURCE_PAYLOAD = 12;

/** In front of what is compressed, in the first part: the size and the CRC32 it had before. */
const COMPRESSED_HEADER = 8;
const BZIP2_MAGIC = Buffer.from('BZh');

interface Layout {
  payloadAt: number;
  compressed: boolean;
}

/** Puts the parts of one reply together, in whatever order and however often they come. */
export class SplitAssembly {
  /** Undefined while the engine is unknown, the A2S_INFO reply itself being in parts. */
  readonly #goldsrc: boolean | undefined;
  #id: number | undefined;
  #datagrams: Buffer[] = [];
  #bytes = 0;

  constructor(goldsrc: boolean | undefined) {
    this.#goldsrc = goldsrc;
  }

  /**
   * Takes one part (a datagram beginning with `-2`) and gives the whole reply, its `-1` header included, when
   * it was the last one missing. Throws MalformedReply for parts that contradict each other or are too many,
   * and for compressed ones that are not what they were announced to be.
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

  /** The first part shows it: what was split begins with `-1` or is bzip2, and only one layout puts it there. */
  #layout(): Layout | undefined {
    for (const datagram of this.#datagrams) {
      if (this.#goldsrc !== false && isMessage(datagram, GOLDSRC_PAYLOAD)) {
        return { payloadAt: GOLDSRC_PAYLOAD, compressed: false };
      }
      if (this.#goldsrc === true || datagram.readUInt8(9) !== 0) continue;
      for (const payloadAt of [SOURCE_PAYLOAD, OLD_SOURCE_PAYLOAD]) {
        if (isMessage(datagram, payloadAt)) return { payloadAt, compressed: false };
        // The id's highest bit says that the reply is compressed.
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
