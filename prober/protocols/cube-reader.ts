// What the protocols of the Cube engines are written in: `getint` and `getstring` in shared/tools.h, `cube2unichars` in
// shared/tools.cpp of Sauerbraten (https://sourceforge.net/projects/sauerbraten).

import { MalformedReply } from './protocol.ts';

/** A byte of the Cube 2 character set is the index of its character here. */
const CHARACTERS =
  '\0ÀÁÂÃÄÅÆÇ\t\n\v\f\rÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛ' +
  String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 0x20 + i)) +
  'ÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĄąĆćČčĎďĘęĚěĞğİıŁłŃńŇňŐőŒœŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž' +
  'ЄБГДЖЗИЙЛПУФЦЧШЩЪЫЬЭЮЯбвгджзийклмнптфцчшщъыьэюяєҐґ';

/** `\f` and what it does to the text behind it: a colour, an icon, two colours in turn (`z`). Lengths bound the search. */
const MARKUP = /\f(?:z..|\[[^\]]{0,32}\]|\([^)]{0,64}\)|<[^>]{0,64}>|\{[^}]{0,64}\}|.)?/gs;

/** Bytes of the longest packet these engines send: MAXTRANS in shared/cube.h, the size of every buffer for a reply. */
const MAX_PACKET = 5_000;

const SHORT_FOLLOWS = -0x80;
const LONG_FOLLOWS = -0x7f;

/**
 * Reads the packed numbers of the Cube engines, and texts made of them. What is not wholly there throws MalformedReply, and
 * so does a packet longer than the engines send.
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

  /** A signed number in one, three or five bytes. */
  int(): number {
    const first = this.#bytes.readInt8(this.#take(1));
    if (first === SHORT_FOLLOWS) return this.#bytes.readInt16LE(this.#take(2));
    if (first === LONG_FOLLOWS) return this.#bytes.readInt32LE(this.#take(4));
    return first;
  }

  /** A number of players, places or the like. */
  count(what: string): number {
    const value = this.int();
    if (value < 0) throw new MalformedReply(`${value} ${what}`);
    return value;
  }

  /** A text up to a zero, each character a number, without its colours. */
  text(): string {
    let text = '';
    for (let code = this.int(); code !== 0; code = this.int()) text += CHARACTERS[code & 0xff];
    return text.includes('\f') ? text.replace(MARKUP, '') : text;
  }

  /** Throws unless everything was read. */
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

/** A packed number that a reply has to repeat: never zero, which would make another question of it. */
export function cubeNumber(nonce: bigint): Buffer {
  const number = Buffer.alloc(5);
  number.writeInt8(LONG_FOLLOWS);
  number.writeUInt32LE((Number(nonce & 0x7fff_ffffn) | 0x8000_0000) >>> 0, 1);
  return number;
}

/** Whether a reply repeats its question. Throws MalformedReply where it cannot even be another's reply. */
export function repeats(datagram: Buffer, question: Buffer): boolean {
  if (datagram.length < question.length || datagram[0] !== question[0])
    throw new MalformedReply('no question is repeated');
  return datagram.subarray(0, question.length).equals(question);
}
