import { bytes, minecraftStatus, u16be } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const LEGACY_PING = 0xfe;
const STATUS_REQUEST = Buffer.from([1, 0]);
/** Maximum number of player names in one reply of a Minecraft server. */
const MAX_SAMPLE = 12;

/**
 * Builds a kick packet. Normally, a Minecraft server sends it to tell a client the reason of a disconnection. Servers
 * also answer the ping of older clients with a kick packet.
 */
function kick(text: string): Buffer {
  return bytes(0xff, u16be(text.length), Buffer.from(text, 'utf16le').swap16());
}

function legacyReply({ name, maxplayers, version, players }: FleetServer, request: Buffer): Buffer {
  // The oldest Minecraft clients send a ping of one byte, and expect an answer in an older format.
  if (request.length === 1) return kick([name.replaceAll('§', ''), players.length, maxplayers].join('§'));
  return kick(['§1', 127, version, name, players.length, maxplayers].join('\0'));
}

function statusReply({ name, maxplayers, version, players }: FleetServer): Buffer {
  const sample = players.slice(0, MAX_SAMPLE).map((player, i) => ({ name: player.name, id: String(i) }));
  return minecraftStatus(
    JSON.stringify({
      version: { name: version, protocol: 769 },
      players: { max: maxplayers, online: players.length, sample },
      description: { text: '', extra: [name] },
    }),
  );
}

/** Fake server that answers like Minecraft Java since version 1.7. It also answers the ping of older clients. */
export const minecraft: Responder = {
  transport: 'tcp',
  respond: (server, request) => {
    if (request[0] === LEGACY_PING) return [legacyReply(server, request)];
    // The first byte of the request is the length of the handshake. One byte is enough, because the host name in the
    // handshake is short.
    const handshakeEnd = 1 + (request[0] ?? Number.POSITIVE_INFINITY);
    if (request.length < handshakeEnd + STATUS_REQUEST.length) return undefined;
    return request.subarray(handshakeEnd).equals(STATUS_REQUEST) ? [statusReply(server)] : [];
  },
};

/**
 * Fake server that answers like an old Minecraft Java server, with a version between Beta 1.8 and release 1.6. It
 * answers the handshake of newer clients with an error.
 */
export const minecraftLegacy: Responder = {
  transport: 'tcp',
  respond: (server, request) =>
    request[0] === LEGACY_PING ? [legacyReply(server, request)] : [kick('Protocol error')],
};
