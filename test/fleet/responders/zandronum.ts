import { decode, encode } from '../../../prober/protocols/zandronum-huffman.ts';
import { bytes, cstring, u16 } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const LAUNCHER_CHALLENGE = 199;
const QUESTION_BYTES = 12;
const ACCEPTED = Buffer.from('775d5600', 'hex');
const DUEL = 5;

const byte = (value: number): number => Math.min(value, 255);
/**
 * Encodes a text, and adds a zero byte at the end. Removes all other zero bytes, because the game ends a text at the
 * first zero byte.
 */
const word = (text: string): Buffer => cstring(text.replaceAll('\0', '').slice(0, 256));

/**
 * Fake server that answers status queries like Zandronum 3. It reports play times in whole minutes, and player counts
 * of at most 255.
 */
export const zandronum: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    const question = decode(request);
    if (question.length !== QUESTION_BYTES || question.readUInt32LE(0) !== LAUNCHER_CHALLENGE) return [];
    const [flags, number] = [question.subarray(4, 8), question.subarray(8)];
    return [encode(bytes(ACCEPTED, number, word(server.version), flags, facts(server)))];
  },
};

function facts({ name, map, maxplayers, password, players }: FleetServer): Buffer {
  const listed = players.slice(0, 255).map(player => {
    const minutes = Math.min(Math.floor(player.time / 60), 255);
    return bytes(word(player.name), u16(player.score & 0xffff), u16(40), 0, 0, minutes);
  });
  const head = bytes(word(name), word(map), byte(maxplayers), DUEL, 0, 0, password ? 1 : 0);
  return bytes(head, listed.length, ...listed);
}
