import { bytes, i32, u16 } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const HEADER_BYTES = 11;
/** With more players than this, servers do not answer the question for names. */
const MAX_LISTED = 100;

const short = (text: string): Buffer => bytes(Buffer.byteLength(text), text);
const long = (text: string): Buffer => bytes(i32(Buffer.byteLength(text)), text);

/** The common facts of both dialects after the header; the third text is SA-MP's language, VC:MP's map. */
export function infoBody(server: FleetServer, third: string): Buffer {
  const { name, maxplayers, password, players } = server;
  const counts = bytes(password ? 1 : 0, u16(players.length), u16(maxplayers));
  return bytes(counts, long(name), long('Freeroam'), long(third));
}

/** The player list, with `tell` for each player; undefined if there are too many. */
export function playersBody(
  { players }: FleetServer,
  tell: (player: FleetServer['players'][number]) => Buffer,
): Buffer | undefined {
  return players.length > MAX_LISTED ? undefined : bytes(u16(players.length), ...players.map(tell));
}

/** Parses a request into its letter and the header to repeat; undefined if it is not a request. */
export function readRequest(request: Buffer, magic: string): { letter: string; header: Buffer } | undefined {
  if (request.length !== HEADER_BYTES || request.toString('latin1', 0, 4) !== magic) return undefined;
  return { letter: String.fromCharCode(request.readUInt8(HEADER_BYTES - 1)), header: request.subarray(4) };
}

/** Answers like open.mp, a server of SA-MP: info, short player list, rules. */
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
