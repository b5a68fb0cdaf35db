import type { FleetServer, Responder } from '../responder.ts';

const HEADER_BYTES = 3;
const CLIENT_GAME_INFO = 7;
const SERVER_GAME_INFO = 6;

/** Fake server that answers like OpenTTD 14. It reports a player count of at most 255, but no map. */
export const openttd: Responder = {
  transport: 'tcp',
  respond: (server, request) => {
    if (request.length < HEADER_BYTES || request.length < request.readUInt16LE(0)) return undefined;
    return request.readUInt8(2) === CLIENT_GAME_INFO ? [gameInfo(server)] : [];
  },
};

function gameInfo(server: FleetServer): Buffer {
  const body = Buffer.concat([
    Buffer.from([7]), // version of the game info
    Buffer.alloc(8, 1), // ticks played
    Buffer.from([1]), // list add-ons with their names
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
    Buffer.from('\0'), // no game script
    Buffer.from([1]),
    Buffer.from('4d470305'.concat('ab'.repeat(16)), 'hex'),
    Buffer.from('An add-on\0'),
    Buffer.alloc(2 * 4, 2), // two dates
    Buffer.from([15, 3, 0]), // counts of companies
    Buffer.from(`${server.name}\0${server.version}\0`),
    Buffer.from([
      server.password ? 1 : 0,
      Math.min(server.maxplayers, 255),
      Math.min(server.players.length, 255),
      0,
    ]),
    Buffer.from([0, 1, 0, 2, 1, 1]), // map of 256 by 512 tiles, arctic landscape, dedicated server
  ]);
  const packet = Buffer.concat([Buffer.alloc(HEADER_BYTES), body]);
  packet.writeUInt16LE(packet.length, 0);
  packet.writeUInt8(SERVER_GAME_INFO, 2);
  return packet;
}
