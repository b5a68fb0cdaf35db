import { bytes, minecraftStatus, u16be } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const LEGACY_PING = 0xfe;
const STATUS_REQUEST = Buffer.from([1, 0]);
/** Most players that a server names. */
const MAX_SAMPLE = 12;

/** Builds a kick, the answer to the old ping. */
function kick(text: string): Buffer {
  return bytes(0xff, u16be(text.length), Buffer.from(text, 'utf16le').swap16());
}

function legacyReply({ name, maxplayers, version, players }: FleetServer, request: Buffer): Buffer {
  // The oldest clients send a single byte.
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

/** Answers like Minecraft Java since 1.7, which knows the old ping too. */
export const minecraft: Responder = {
  transport: 'tcp',
  respond: (server, request) => {
    if (request[0] === LEGACY_PING) return [legacyReply(server, request)];
    // The handshake's length fits into one byte, because host names are short.
    const handshakeEnd = 1 + (request[0] ?? Number.POSITIVE_INFINITY);
    if (request.length < handshakeEnd + STATUS_REQUEST.length) return undefined;
    return request.subarray(handshakeEnd).equals(STATUS_REQUEST) ? [statusReply(server)] : [];
  },
};

/** Answers like Minecraft Java from Beta 1.8 to 1.6, for which a handshake is an unknown packet. */
export const minecraftLegacy: Responder = {
  transport: 'tcp',
  respond: (server, request) =>
    request[0] === LEGACY_PING ? [legacyReply(server, request)] : [kick('Protocol error')],
};
