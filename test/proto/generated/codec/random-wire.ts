import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';

/** Short and long strings, with single-byte and multi-byte characters. */
const TEXTS = [
  '',
  'a',
  'de_dust2',
  '1.2.3.4:27015',
  'ü☃ 😀',
  'x'.repeat(64),
  'x'.repeat(300),
  '"\\\u0000\ufffd',
];
const NUMBERS = [0n, 1n, 127n, 128n, 16_384n, 0xffff_ffffn, 0x1_0000_0005n, 2n ** 53n + 1n, 2n ** 64n - 1n];

/** Encodes a varint. `padding`: number of unnecessary bytes at its end. The varint has at most ten bytes. */
export function varint(value: bigint, padding = 0): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 0x80);
  bytes.push(Number(rest));
  for (let i = 0; i < padding && bytes.length < 10; i++) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(0);
  }
  return Buffer.from(bytes);
}

export function tagged(number: number, wireType: number, ...content: Buffer[]): Buffer {
  return Buffer.concat([varint(BigInt(number * 8 + wireType)), ...content]);
}

export function lengthDelimited(number: number, content: Buffer): Buffer {
  return tagged(number, 2, varint(BigInt(content.length)), content);
}

/**
 * Creates random encodings of messages that are valid but unusual. Fields are in any order and occur repeatedly.
 * Submessages are split. Numbers are padded, packed or unpacked. Unknown fields and groups are inserted.
 */
export class RandomWire {
  readonly #below: (below: number) => number;

  constructor(below: (below: number) => number) {
    this.#below = below;
  }

  message(type: DescMessage): Buffer {
    const fields = type.fields.flatMap(field =>
      this.#some(field.fieldKind === 'list' ? 4 : 3, () => this.#field(field)),
    );
    const chunks = [...fields, ...this.#some(2, () => this.#unknown(3))];
    for (let i = chunks.length - 1; i > 0; i--) {
      const other = this.#below(i + 1);
      [chunks[i], chunks[other]] = [chunks[other] as Buffer, chunks[i] as Buffer];
    }
    return Buffer.concat(chunks);
  }

  #field(field: DescField): Buffer {
    const { number } = field;
    if (field.message) return lengthDelimited(number, this.message(field.message));
    if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES)
      return lengthDelimited(number, Buffer.from(this.#pick(TEXTS)));
    const isPacked = field.fieldKind === 'list' && this.#below(2) === 0;
    if (isPacked) return lengthDelimited(number, Buffer.concat(this.#some(4, () => this.#number(field))));
    return tagged(number, 0, this.#number(field));
  }

  #number(field: DescField): Buffer {
    // Unknown enum numbers are left out, because protobuf-es and the generated decoders treat them differently.
    if (field.enum) return varint(BigInt(this.#below(field.enum.values.length)), this.#below(3));
    return varint(this.#pick(NUMBERS), this.#below(3));
  }

  /** Returns a field or a group with a field number that no message has. `depth`: maximum nesting of groups. */
  #unknown(depth: number): Buffer {
    const number = this.#pick([100, 2000, 2 ** 29 - 1]);
    const kind = this.#below(depth > 0 ? 5 : 4);
    if (kind === 0) return tagged(number, 0, varint(this.#pick(NUMBERS)));
    if (kind === 1) return tagged(number, 1, Buffer.alloc(8, 0xff));
    if (kind === 2) return lengthDelimited(number, Buffer.from(this.#pick(TEXTS)));
    if (kind === 3) return tagged(number, 5, Buffer.alloc(4, 0xff));
    return tagged(number, 3, ...this.#some(3, () => this.#unknown(depth - 1)), tagged(number, 4));
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }

  #some<T>(below: number, make: () => T): T[] {
    return Array.from({ length: this.#below(below) }, make);
  }
}
