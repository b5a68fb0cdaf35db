import type { Responder } from '../responder.ts';

const UNCONNECTED_PING = 0x01;
const UNCONNECTED_PONG = 0x1c;
const MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
const AT_MAGIC = 1 + 8;
const PING_BYTES = AT_MAGIC + MAGIC.length + 8;
const GUID = 13_253_860_892_328_930_865n;

/** Fake server that answers like the Minecraft Bedrock server. It reports a player count, but no player names. */
export const bedrock: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    const isPing = request.length === PING_BYTES && request[0] === UNCONNECTED_PING;
    if (!isPing || !request.subarray(AT_MAGIC, AT_MAGIC + MAGIC.length).equals(MAGIC)) return [];
    const told = [
      server.name,
      800,
      server.version,
      server.players.length,
      server.maxplayers,
      GUID,
      server.map,
    ];
    const fields = ['MCPE', ...told, 'Survival', 1, server.port, server.port + 1, ''];
    const text = Buffer.from(fields.map(field => `${field}`.replaceAll(';', '\\;')).join(';'));
    const head = Buffer.alloc(AT_MAGIC + 8);
    head.writeUInt8(UNCONNECTED_PONG, 0);
    request.copy(head, 1, 1, AT_MAGIC);
    head.writeBigUInt64BE(GUID, AT_MAGIC);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(text.length);
    return [Buffer.concat([head, MAGIC, length, text])];
  },
};
