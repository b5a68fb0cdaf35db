import { crc16, HEADER_BYTES, shiftBody, shiftHeader } from '../../../prober/protocols/ventrilo-cipher.ts';
import { bytes, u16be } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const REQUEST_BYTES = 36;
const PART_BYTES = 492;
const MAX_BYTES = 32 * PART_BYTES;
const END = '\n\0';
const DETAILS = 2;
const DETAILS_REPLY = 3;

const escaped = (text: string): string =>
  Array.from(Buffer.from(text), byte => {
    const letter = String.fromCharCode(byte);
    return /[\w .:;!?()[\]{}*+<>|~^-]/.test(letter)
      ? letter
      : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }).join('');

function details({ name, maxplayers, password, version, players }: FleetServer): string {
  const clients = players.map(
    player => `CLIENT: ADMIN=0,CID=1,PHAN=0,PING=63,SEC=${player.time},NAME=${escaped(player.name)},COMM=`,
  );
  const facts = [
    `NAME: ${escaped(name)}`,
    'COMMENT: ',
    `AUTH: ${password ? 1 : 0}`,
    `MAXCLIENTS: ${maxplayers}`,
    `VERSION: ${escaped(version)}`,
    'CHANNELCOUNT: 1',
    'CHANNEL: CID=1,PID=0,PROT=0,NAME=Lobby,COMM=',
    `CLIENTCOUNT: ${players.length}`,
  ];
  let room = MAX_BYTES - facts.join('\n').length - END.length;
  const listed = clients.filter(line => {
    room -= line.length + 1;
    return room >= 0;
  });
  return [...facts, ...listed].join('\n') + END;
}

/**
 * Splits a Ventrilo reply into packets. Each packet has the `id` of the request, and contains the two keys that encrypt
 * its header and its body.
 */
export function ventriloReply(id: number, text: Buffer): Buffer[] {
  const checksum = u16be(crc16(text));
  const parts = Math.max(1, Math.ceil(text.length / PART_BYTES));
  return Array.from({ length: parts }, (_, part) => {
    const body = text.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    const headerKey = { start: (part * 37) & 0xff, step: (part % 255) + 1 };
    const bodyKey = { start: (part * 101) & 0xff, step: ((part * 7) % 255) + 1 };
    const sizes = bytes(u16be(text.length), u16be(body.length), u16be(parts), u16be(part));
    const words = bytes(u16be(0), u16be(DETAILS_REPLY), u16be(id), sizes, bodyKey.start, bodyKey.step);
    const hidden = shiftHeader(bytes(words, checksum), headerKey, 1);
    return bytes(headerKey.start, headerKey.step, hidden, shiftBody(body, bodyKey, 1));
  });
}

/**
 * Fake server that answers like Ventrilo 3, in several packets. It lists only as many clients as fit into the reply.
 */
export const ventrilo: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.length !== REQUEST_BYTES) return [];
    const key = { start: request.readUInt8(0), step: request.readUInt8(1) };
    const words = shiftHeader(request.subarray(2, HEADER_BYTES), key, -1);
    if (words.readUInt16BE(0) !== 0 || words.readUInt16BE(2) !== DETAILS) return [];
    return ventriloReply(words.readUInt16BE(4), Buffer.from(details(server)));
  },
};
