import { bytes, i32, u16 } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const HEADER_BYTES = 11;
/**
 * Maximum number of players in a player list of SA-MP or VC:MP. A server with more players does not answer the request
 * for the list.
 */
const MAX_LISTED = 100;

const short = (text: string): Buffer => bytes(Buffer.byteLength(text), text);
const long = (text: string): Buffer => bytes(i32(Buffer.byteLength(text)), text);

/**
 * Builds the info reply of SA-MP and VC:MP without its header. `third` is the third string of this reply: the language
 * in SA-MP, the map in VC:MP.
 */
export function infoBody(server: FleetServer, third: string): Buffer {
  const { name, maxplayers, password, players } = server;
  const counts = bytes(password ? 1 : 0, u16(players.length), u16(maxplayers));
  return bytes(counts, long(name), long('Freeroam'), long(third));
}

/**
 * Builds the player list of a reply of SA-MP or VC:MP. The function `tell` encodes one player. Returns undefined if
 * there are more than MAX_LISTED players.
 */
export function playersBody(
  { players }: FleetServer,
  tell: (player: FleetServer['players'][number]) => Buffer,
): Buffer | undefined {
  return players.length > MAX_LISTED ? undefined : bytes(u16(players.length), ...players.map(tell));
}

/**
 * Parses a request datagram of SA-MP or VC:MP. `letter`: the kind of request. `header`: the bytes that the reply must
 * repeat. Returns undefined if the datagram is not a valid request.
 */
export function readRequest(request: Buffer, magic: string): { letter: string; header: Buffer } | undefined {
  if (request.length !== HEADER_BYTES || request.toString('latin1', 0, 4) !== magic) return undefined;
  return { letter: String.fromCharCode(request.readUInt8(HEADER_BYTES - 1)), header: request.subarray(4) };
}

/**
 * Fake server that answers like open.mp, a server for SA-MP. It answers requests for the info, the short player list
 * and the rules.
 */
export const samp: Responder = {
  transport: 'udp',
  respond: (server, datagram) => {
    const request = readRequest(datagram, 'SAMP');
    const body = request && bodyOf(server, request.letter);
    return request && body ? [bytes('SAMP', request.header, body)] : [];
  },
};

function bodyOf(server: FleetServer, letter: string): Buffer | undefined {
  if (letter === 'i') return infoBody(server, 'English');
  if (letter === 'c') return playersBody(server, ({ name, score }) => bytes(short(name), i32(score)));
  if (letter !== 'r') return undefined;
  const rules = [short('lagcomp'), short('On'), short('mapname'), short(server.map), short('version')];
  return bytes(u16(3), ...rules, short(server.version));
}
