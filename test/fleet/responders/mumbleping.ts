import type { Responder } from '../responder.ts';

const PING_BYTES = 12;

/**
 * Fake server that answers a ping like a Mumble server. The answer contains a version of three numbers, the number of
 * users and the maximum number of users.
 */
export const mumbleping: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.length !== PING_BYTES || request.readUInt32BE(0) !== 0) return [];
    const [major = 0, minor = 0, patch = 0] = server.version.split('.').map(Number);
    const reply = Buffer.alloc(PING_BYTES + 3 * 4);
    reply.writeUInt16BE(major, 0);
    // Limits the second and third number of the version to 255, as a real Mumble server does.
    reply.writeUInt8(Math.min(minor, 255), 2);
    reply.writeUInt8(Math.min(patch, 255), 3);
    request.copy(reply, 4, 4);
    reply.writeUInt32BE(server.players.length, PING_BYTES);
    reply.writeUInt32BE(server.maxplayers, PING_BYTES + 4);
    reply.writeUInt32BE(72_000, PING_BYTES + 8);
    return [reply];
  },
};
