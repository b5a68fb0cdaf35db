// Decodes numbers and texts of the Cube game engines. Source: `getint` and `getstring` in shared/tools.h,
// `cube2unichars` in shared/tools.cpp of Sauerbraten (https://sourceforge.net/projects/sauerbraten).

import { MalformedReply } from './protocol.ts';

/** The character set of the Cube 2 game engine. The code of a character is its index in this string. */
const CHARACTERS =
  '\0ÀÁÂÃÄÅÆÇ\t\n\v\f\rÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛ' +
  String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 0x20 + i)) +
  'ÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĄąĆćČčĎďĘęĚěĞğİıŁłŃńŇňŐőŒœŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž' +
  'ЄБГДЖЗИЙЛПУФЦЧШЩЪЫЬЭЮЯбвгджзийклмнптфцчшщъыьэюяєҐґ';

/**
 * Matches a form feed (`\f`) and the colour or icon code after it. The lengths in the pattern are limited, because an
 * unlimited search takes quadratic time.
 */
const MARKUP = /\f(?:z..|\[[^\]]{0,32}\]|\([^)]{0,64}\)|<[^>]{0,64}>|\{[^}]{0,64}\}|.)?/gs;

/**
 * Maximum size of a packet of the Cube engines, bytes. It is their buffer size for replies, MAXTRANS in shared/cube.h.
 */
const MAX_PACKET = 5_000;

const SHORT_FOLLOWS = -0x80;
const LONG_FOLLOWS = -0x7f;

/**
 * Reads the numbers and strings in a packet of a Cube game engine. Each character of a string is a number of one, three
 * or five bytes. Throws MalformedReply if the packet is incomplete or too long.
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

  /** Reads a signed number that takes one, three or five bytes. */
  int(): number {
    const first = this.#bytes.readInt8(this.#take(1));
    if (first === SHORT_FOLLOWS) return this.#bytes.readInt16LE(this.#take(2));
    if (first === LONG_FOLLOWS) return this.#bytes.readInt32LE(this.#take(4));
    return first;
  }

  /** Reads a count, such as the number of players. Throws MalformedReply if it is negative. */
  count(what: string): number {
    const value = this.int();
    if (value < 0) throw new MalformedReply(`${value} ${what}`);
    return value;
  }

  /**
   * Reads a string and removes its colour codes and icons. Each character is sent as one number, and a zero ends the
   * string.
   */
  text(): string {
    let text = '';
    for (let code = this.int(); code !== 0; code = this.int()) text += CHARACTERS[code & 0xff];
    return text.includes('\f') ? text.replace(MARKUP, '') : text;
  }

  /** Checks that the whole packet has been read. Throws MalformedReply if unread bytes remain. */
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
 * Encodes the number that identifies a request, in five bytes. The reply repeats this number. The number is never zero,
 * because zero would start a different type of request.
 */
export function cubeNumber(nonce: bigint): Buffer {
  const number = Buffer.alloc(5);
  number.writeInt8(LONG_FOLLOWS);
  number.writeUInt32LE((Number(nonce & 0x7fff_ffffn) | 0x8000_0000) >>> 0, 1);
  return number;
}

/**
 * Returns true if the reply `datagram` repeats the request `question` at its start, and false if it repeats another
 * request. Throws MalformedReply if the reply is shorter than the request, or has another first byte.
 */
export function repeats(datagram: Buffer, question: Buffer): boolean {
  if (datagram.length < question.length || datagram[0] !== question[0])
    throw new MalformedReply('no question is repeated');
  return datagram.subarray(0, question.length).equals(question);
}
