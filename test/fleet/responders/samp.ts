import { bytes, i32, u16 } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const HEADER_BYTES = 11;
/** With more players than these, servers do not answer who they are. */
const MAX_LISTED = 100;

const short = (text: string): Buffer => bytes(Buffer.byteLength(text), text);
const long = (text: string): Buffer => bytes(i32(Buffer.byteLength(text)), text);

/** What both dialects tell behind their header; the third text is SA-MP's language, VC:MP's map. */
export function infoBody(server: FleetServer, third: string): Buffer {
  const { name, maxplayers, password, players } = server;
  const counts = bytes(password ? 1 : 0, u16(players.length), u16(maxplayers));
  return bytes(counts, long(name), long('Freeroam'), long(third));
}

/** Who is on, as `tell` tells each; undefined when there are too many. */
export function playersBody(
  { players }: FleetServer,
  tell: (player: FleetServer['players'][number]) => Buffer,
): Buffer | undefined {
  return players.length > MAX_LISTED ? undefined : bytes(u16(players.length), ...players.map(tell));
}

/** Takes a request apart: its letter, and the header its reply repeats. Undefined when it is none. */
export function readRequest(request: Buffer, magic: string): { letter: string; header: Buffer } | undefined {
  if (request.length !== HEADER_BYTES || request.toString('latin1', 0, 4) !== magic) return undefined;
  return { letter: String.fromCharCode(request.readUInt8(HEADER_BYTES - 1)), header: request.subarray(4) };
}

/** SA-MP, as open.mp answers: info, the short list and the rules. */
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
