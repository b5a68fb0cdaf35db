// The number and text encodings of the Cube engines: `getint` and `getstring` in shared/tools.h,
// `cube2unichars` in shared/tools.cpp of Sauerbraten (https://sourceforge.net/projects/sauerbraten).

import { MalformedReply } from './protocol.ts';

/** The Cube 2 character set: a byte is the index of its character in this text. */
const CHARACTERS =
  '\0ÀÁÂÃÄÅÆÇ\t\n\v\f\rÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛ' +
  String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 0x20 + i)) +
  'ÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĄąĆćČčĎďĘęĚěĞğİıŁłŃńŇňŐőŒœŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž' +
  'ЄБГДЖЗИЙЛПУФЦЧШЩЪЫЬЭЮЯбвгджзийклмнптфцчшщъыьэюяєҐґ';

/**
 * Matches `\f` and the markup after it: a colour, an icon, or two alternating colours (`z`). Bounded lengths
 * keep the search linear.
 */
const MARKUP = /\f(?:z..|\[[^\]]{0,32}\]|\([^)]{0,64}\)|<[^>]{0,64}>|\{[^}]{0,64}\}|.)?/gs;

/** Longest packet of these engines, bytes: MAXTRANS in shared/cube.h, the size of every reply buffer. */
const MAX_PACKET = 5_000;

const SHORT_FOLLOWS = -0x80;
const LONG_FOLLOWS = -0x7f;

/**
 * Reads the packed numbers of the Cube engines, and texts made of them. Throws MalformedReply if a field is
 * incomplete, or if the packet is longer than the engines send.
 */
export class CubeReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    if (bytes.length > MAX_PACKET) throw new MalformedReply(`${bytes.length} bytes, more than ${MAX_PACKET}`);
    this.#bytes = bytes;
    this.#at = at;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** Reads a signed number of one, three or five bytes. */
  int(): number {
    const first = this.#bytes.readInt8(this.#take(1));
    if (first === SHORT_FOLLOWS) return this.#bytes.readInt16LE(this.#take(2));
    if (first === LONG_FOLLOWS) return this.#bytes.readInt32LE(this.#take(4));
    return first;
  }

  /** Reads a number from 0 up, of players, slots or the like. */
  count(what: string): number {
    const value = this.int();
    if (value < 0) throw new MalformedReply(`${value} ${what}`);
    return value;
  }

  /** Reads a text up to a zero, in which each character is a number, and removes its colours. */
  text(): string {
    let text = '';
    for (let code = this.int(); code !== 0; code = this.int()) text += CHARACTERS[code & 0xff];
    return text.includes('\f') ? text.replace(MARKUP, '') : text;
  }

  /** Throws MalformedReply unless every byte was read. */
  end(): void {
    if (this.remaining > 0) throw new MalformedReply(`${this.remaining} bytes too many`);
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) throw new MalformedReply(`cut short at byte ${this.#bytes.length}`);
    this.#at = at + count;
    return at;
  }
}

/**
 * Makes a packed number for the reply to repeat. It is never zero, because a zero would make the question an
 * extended one.
 */
export function cubeNumber(nonce: bigint): Buffer {
  const number = Buffer.alloc(5);
  number.writeInt8(LONG_FOLLOWS);
  number.writeUInt32LE((Number(nonce & 0x7fff_ffffn) | 0x8000_0000) >>> 0, 1);
  return number;
}

/**
 * True if a reply repeats its question. Throws MalformedReply if it cannot be the reply to any such question.
 */
export function repeats(datagram: Buffer, question: Buffer): boolean {
  if (datagram.length < question.length || datagram[0] !== question[0])
    throw new MalformedReply('no question is repeated');
  return datagram.subarray(0, question.length).equals(question);
}
