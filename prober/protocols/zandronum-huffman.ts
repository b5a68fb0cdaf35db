// The Huffman compression of packets in Skulltag and Zandronum. Source: `HUFFMAN_Encode` and `HUFFMAN_Decode` in
// src/huffman of https://osdn.net/projects/zandronum/scm/hg/zandronum-stable

import { MalformedReply } from './protocol.ts';

/**
 * Byte values at the leaves of the Huffman tree, from left to right. `DEPTHS` contains the depth of each leaf. In a
 * code, a zero bit leads to the left child.
 */
const LEAVES = Buffer.from(
  '802622506e90434af38e257c3ab624dd83f5a3237155294dc782ceb9994676030518c6be3f8bba4b2cf0da382827f4f75141097d' +
    '443c19bf8a561117dcb2a5c20e00d0969db5ded8e6d3fc8d0a2a86876867bbe15f20393db7ede9eaf6cbfa934f81078f8814b394' +
    '1c6a655742b4dbe3f11afbe5d63645e7d49cb05d5360fd1e0daffe5e9f1b08cce24e6b581f89a9d79106047f63d1d9d5eeb1aa84' +
    '160c729ec5612d2e70aef9e066ab97c10f1002a8315b9230ad1d137e5cf2cdc0eb95ffdfb8f86cec6f5a7573470b32bc777aa7a2' +
    'a0857b153b9b9a622b4c33c974486d6479c3e81201a478bd49c4efd2403e5921e4a13754982fcfac8c52a6356934cac8',
  'hex',
);
const DEPTHS = Array.from(
  '4889aa89aa89988aaaa89989aa9aa99557aa9aa98aa988aa9899999aa999aaaa939aa88aa9aa98aa99aa5489aaaaaaaa979aa9aa' +
    '99998aaaa89aa88aaaa999999aa9999aa8999aaaa9879aaaaaa4998aa9889aa99aa99999899899999999aa9998999999888999aa' +
    '78998aa97889989989986799889988579988879988888899',
  digit => Number.parseInt(digit, 16),
);

type Node = number | [zero: Node, one: Node];

const TREE = buildTree();
const CODES = listCodes();

/**
 * First byte of an uncompressed Zandronum packet. A packet is sent uncompressed if compression would make it longer.
 */
const UNPACKED = 0xff;

/**
 * Compresses bytes to a packet. The first byte is the number of unused bits in the last byte. The Huffman codes follow.
 * They fill each byte from its lowest bit.
 */
export function encode(bytes: Buffer): Buffer {
  const bits = Array.from(bytes, byte => CODES[byte] ?? '').join('');
  const packed = Buffer.alloc(1 + Math.ceil(bits.length / 8));
  packed[0] = (packed.length - 1) * 8 - bits.length;
  for (let i = 0; i < bits.length; i++) {
    const at = 1 + (i >> 3);
    if (bits[i] === '1') packed[at] = (packed[at] ?? 0) | (1 << (i & 7));
  }
  return packed.length > bytes.length ? Buffer.concat([Buffer.of(UNPACKED), bytes]) : packed;
}

/**
 * Decompresses a packet. The output is at most 8/3 times as long as the packet, because the shortest code has three
 * bits. Throws MalformedReply if the packet is not valid.
 */
export function decode(packet: Buffer): Buffer {
  const unused = packet[0] ?? 0;
  if (unused === UNPACKED) return packet.subarray(1);
  const count = (packet.length - 1) * 8 - unused;
  if (unused > 7 || count < 0) throw new MalformedReply('not packed');
  const bytes: number[] = [];
  let node = TREE;
  for (let i = 0; i < count; i++) {
    if (typeof node === 'number') throw new MalformedReply('a tree without branches');
    node = node[((packet[1 + (i >> 3)] ?? 0) >> (i & 7)) & 1] as Node;
    if (typeof node !== 'number') continue;
    bytes.push(node);
    node = TREE;
  }
  if (node !== TREE) throw new MalformedReply('cut short within a code');
  return Buffer.from(bytes);
}

function buildTree(): Node {
  let next = 0;
  const build = (depth: number): Node => {
    if (DEPTHS[next] !== depth) return [build(depth + 1), build(depth + 1)];
    return LEAVES[next++] as number;
  };
  return build(0);
}

/** Returns the Huffman code of each byte value, as a string of the digits 0 and 1. */
function listCodes(): string[] {
  const codes: string[] = [];
  const list = (node: Node, code: string): void => {
    if (typeof node === 'number') codes[node] = code;
    else for (const bit of [0, 1] as const) list(node[bit], code + bit);
  };
  list(TREE, '');
  return codes;
}
