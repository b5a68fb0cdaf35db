import type { FleetServer, Responder } from '../responder.ts';
import { cstring, playerReply } from './a2s.ts';

const DETAILS = Buffer.from('\xff\xff\xff\xffdetails\0', 'latin1');
const PLAYERS = Buffer.from('\xff\xff\xff\xffplayers\0', 'latin1');
/** Maximum datagram size of the GoldSrc engine in bytes, including the header. */
const SPLIT_BYTES = 1400;
const PART_HEADER = 9;

/**
 * Fake server that answers like GoldSrc before Steam. The requests are the words `details` and `players`. There are no
 * challenges, and the replies contain no version.
 */
export const responder: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.equals(DETAILS)) return split(detailsReply(server), server.port);
    if (request.equals(PLAYERS)) return split(playerReply(server), server.port);
    return [];
  },
};

function detailsReply(server: FleetServer): Buffer {
  const players = Math.min(server.players.length, 255);
  return Buffer.concat([
    Buffer.from('\xff\xff\xff\xffm', 'latin1'),
    ...[`192.0.2.1:${server.port}`, server.name, server.map, 'cstrike', 'Counter-Strike'].map(cstring),
    Buffer.of(players, Math.min(server.maxplayers, 255), 46),
    Buffer.from('dl'),
    Buffer.of(server.password ? 1 : 0, 0, 0, 0), // not a mod, not VAC secured, no bots
  ]);
}

function split(reply: Buffer, id: number): Buffer[] {
  if (reply.length <= SPLIT_BYTES) return [reply];
  const size = SPLIT_BYTES - PART_HEADER;
  const total = Math.ceil(reply.length / size);
  return Array.from({ length: total }, (_, number) => {
    const header = Buffer.alloc(PART_HEADER);
    header.writeInt32LE(-2, 0);
    header.writeInt32LE(id, 4);
    header.writeUInt8((number << 4) | total, 8);
    return Buffer.concat([header, reply.subarray(number * size, (number + 1) * size)]);
  });
}
