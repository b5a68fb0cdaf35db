import type { Responder } from '../responder.ts';

const GET_INFO = Buffer.from('\xff\xffgetInfo\0', 'latin1');
const PROTOCOL_VERSION = (1 << 16) | 41;
const MAX_CLIENTS = 32;

/** Fake server that answers like Doom 3 1.3.1. It reports at most 32 players, without scores and play times. */
export const doom3: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    const challenge = request.subarray(GET_INFO.length, GET_INFO.length + 4);
    if (!request.subarray(0, GET_INFO.length).equals(GET_INFO) || challenge.length < 4) return [];
    const version = Buffer.alloc(4);
    version.writeUInt32LE(PROTOCOL_VERSION);
    const info = {
      si_version: server.version,
      si_maxPlayers: server.maxplayers,
      si_usepass: server.password ? 1 : 0,
      si_map: server.map,
      si_name: server.name,
      gamename: 'baseDOOM-1',
    };
    const fields = Object.entries(info).map(([key, value]) => `${key}\0${value}\0`);
    const players = server.players.slice(0, MAX_CLIENTS).map(({ name }, client) => {
      const entry = Buffer.alloc(1 + 2 + 4);
      entry.writeUInt8(client, 0);
      entry.writeUInt16LE(20 + client, 1);
      entry.writeUInt32LE(16000, 3);
      return Buffer.concat([entry, Buffer.from(`${name}\0`)]);
    });
    const head = [Buffer.from('\xff\xffinfoResponse\0', 'latin1'), challenge, version];
    const end = Buffer.from([MAX_CLIENTS, 7, 0, 0, 0]);
    return [Buffer.concat([...head, Buffer.from(`${fields.join('')}\0\0`), ...players, end])];
  },
};
