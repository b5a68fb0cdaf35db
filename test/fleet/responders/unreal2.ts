import { bytes, i32 } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const INFO = 0;
const PLAYERS = 2;
const PASSWORD_FLAG = 1;
/** Maximum packet size of Unreal in bytes. Further players are sent in the next packet. */
const MAX_BYTES = 450;

/** Fake server that answers like Unreal Tournament 2004. Its replies contain neither version nor play times. */
export const unreal2: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.length !== 5 || request.readUInt32LE(0) !== 0x79) return [];
    if (request[4] === INFO) return [bytes(header(INFO), info(server))];
    return request[4] === PLAYERS ? players(server) : [];
  },
};

function header(type: number): Buffer {
  return bytes(0x80, 0, 0, 0, type);
}

function info({ name, map, maxplayers, password, port, players }: FleetServer): Buffer {
  return bytes(
    i32(0),
    text(''),
    i32(port),
    i32(0),
    ...[name, map, 'xDeathMatch'].map(text),
    ...[players.length, maxplayers, 0, password ? PASSWORD_FLAG : 0].map(i32),
    text('2'),
    Buffer.alloc(3),
  );
}

function players(server: FleetServer): Buffer[] {
  const packets = [header(PLAYERS)];
  for (const [i, { name, score }] of server.players.entries()) {
    const player = bytes(i32(i + 1), text(name), i32(48), i32(score), i32(0));
    const packet = packets.pop() ?? Buffer.alloc(0);
    const isFull = packet.length + player.length > MAX_BYTES;
    packets.push(...(isFull ? [packet, bytes(header(PLAYERS), player)] : [bytes(packet, player)]));
  }
  return packets;
}

/**
 * Encodes a text for Unreal Tournament 2004: one byte per character if every character fits into a byte, otherwise two.
 * The length field includes the zero at the end.
 */
function text(value: string): Buffer {
  if (value === '') return Buffer.of(0);
  const isNarrow = Array.from({ length: value.length }, (_, i) => value.charCodeAt(i)).every(
    code => code < 0x100,
  );
  const length = value.length + 1;
  const sign = isNarrow ? 0 : 0x80;
  const size = length < 64 ? [sign | length] : [sign | 0x40 | (length & 0x3f), length >> 6];
  return bytes(Buffer.from(size), Buffer.from(`${value}\0`, isNarrow ? 'latin1' : 'utf16le'));
}
