import { bytes, u16be } from '../../prober/protocols/bytes.ts';
import type { Responder } from '../responder.ts';

const QUESTION = Buffer.from('0035000000000011', 'hex');
const SHORT_QUESTION = Buffer.from('0034000000000011', 'hex');

const number = (value: number): Buffer => bytes(u16be(value & 0xffff), u16be((value >>> 16) & 0xffff));

const message = (kind: number, body: Buffer): Buffer =>
  bytes(u16be(kind), u16be(0), u16be(body.length / 2), body, u16be(0));

/**
 * Encodes a text in the string format of Armagetron: length, text, zero byte. In each 16-bit word of the text, the two
 * bytes are swapped.
 */
export function word(text: string): Buffer {
  const zeroed = bytes(text.replaceAll('\0', '').slice(0, 20_000), 0);
  const padded = bytes(zeroed, Buffer.alloc(zeroed.length & 1));
  return bytes(u16be(zeroed.length), padded.swap16());
}

/** Fake server that answers like Armagetron Advanced 0.2.9. It reports player names, but no scores and no map. */
export const armagetron: Responder = {
  transport: 'udp',
  respond: ({ name, port, version, players, maxplayers }, request) => {
    if (request.equals(SHORT_QUESTION)) return [message(50, bytes(number(port), word('')))];
    if (!request.equals(QUESTION)) return [];
    const listed = players.slice(0, 255);
    const names = listed.map(player => `${player.name.slice(0, 64)}\n`).join('');
    const body = bytes(
      ...[number(port), word(''), word(name), number(listed.length), number(0), number(17)],
      ...[
        word(version),
        number(maxplayers),
        word(names),
        word('All defaults.'),
        word('http://example/'),
        word(''),
      ],
    );
    if (body.length > 60_000) return [];
    return [message(51, body)];
  },
};
