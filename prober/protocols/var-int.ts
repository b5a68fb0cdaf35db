// Minecraft's VarInt: https://minecraft.wiki/w/Java_Edition_protocol/Data_types#VarInt_and_VarLong

import { MalformedReply } from './protocol.ts';

const MAX_BYTES = 5;

/** Encodes a 32-bit number, seven bits a byte, the lowest first. */
export function encodeVarInt(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/**
 * Reads the number at `at` and returns it with the offset of the next field; undefined if it is incomplete.
 * Throws MalformedReply if it is longer than five bytes.
 */
export function readVarInt(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let i = 0; i < MAX_BYTES; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
  throw new MalformedReply('a VarInt without end');
}
