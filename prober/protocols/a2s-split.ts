// Replies longer than one datagram.
// https://developer.valvesoftware.com/wiki/Server_queries#Multi-packet_Response_Format

import { MalformedReply } from './protocol.ts';

const MAX_PARTS = 32;
const MAX_BYTES = 64 * 1024;
/** Behind `-2` and the id. */
const PART_HEADER = 8;

/**
 * How the parts of a reply are headed. `source` has total, number and the splitting size; `source-2006` lacks
 * the size; `goldsrc` packs number and total into one byte.
 */
type Layout = 'source' | 'source-2006' | 'goldsrc';

interface Part {
  total: number;
  number: number;
  payload: Buffer;
}

/** Puts the parts of one reply together, in whatever order and however often they come. */
export class SplitAssembly {
  /** Known once A2S_INFO has told the engine; undefined while that reply itself is in parts. */
  goldsrc: boolean | undefined;
  #id: number | undefined;
  #datagrams: Buffer[] = [];
  #bytes = 0;

  /**
   * Takes one part (a datagram beginning with `-2`) and gives the whole reply, its `-1` header included, when
   * it was the last one missing. Throws MalformedReply for parts that contradict each other, are too many, or
   * are compressed.
   */
  add(datagram: Buffer): Buffer | undefined {
    if (datagram.length <= PART_HEADER + 1) throw new MalformedReply('a part without content');
    const id = datagram.readInt32LE(4);
    if (this.goldsrc !== true && id < 0) throw new MalformedReply('split and bzip2-compressed');
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
    return layout && this.#join(layout);
  }

  /** The first part shows it: the whole reply begins with `-1`, and only one layout puts that there. */
  #layout(): Layout | undefined {
    for (const datagram of this.#datagrams) {
      const at = (offset: number) => datagram.length >= offset + 4 && datagram.readInt32LE(offset) === -1;
      if (this.goldsrc !== false && datagram.readUInt8(8) >> 4 === 0 && at(9)) return 'goldsrc';
      if (this.goldsrc !== true && datagram.readUInt8(9) === 0) {
        if (at(12)) return 'source';
        if (at(10)) return 'source-2006';
      }
    }
    return undefined;
  }

  #join(layout: Layout): Buffer | undefined {
    const payloads = new Map<number, Buffer>();
    let total = 0;
    for (const datagram of this.#datagrams) {
      const part = readPart(datagram, layout);
      total ||= part.total;
      if (part.total !== total || part.number >= total) throw new MalformedReply('parts that do not agree');
      const known = payloads.get(part.number);
      if (known && !known.equals(part.payload))
        throw new MalformedReply(`part ${part.number} came twice, unlike`);
      payloads.set(part.number, part.payload);
    }
    if (payloads.size < total) return undefined;
    this.#id = undefined;
    return Buffer.concat(
      Array.from({ length: total }, (_, number) => payloads.get(number) ?? Buffer.alloc(0)),
    );
  }
}

function readPart(datagram: Buffer, layout: Layout): Part {
  const first = datagram.readUInt8(8);
  if (layout === 'goldsrc') return { total: first & 0x0f, number: first >> 4, payload: datagram.subarray(9) };
  return {
    total: first,
    number: datagram.readUInt8(9),
    payload: datagram.subarray(layout === 'source' ? 12 : 10),
  };
}
