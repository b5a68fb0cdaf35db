import type { DatagramResponder, FleetServer, Responder } from '../responder.ts';

/** Fake server that answers like the QuakeWorld server MVDSV. It reports play times in whole minutes. */
export const quake1: Responder = { transport: 'udp', respond: respondAfter(Buffer.alloc(4, 0xff)) };

/** Fake server that answers like HexenWorld. */
export const hexen2: Responder = { transport: 'udp', respond: respondAfter(Buffer.alloc(5, 0xff)) };

function respondAfter(prefix: Buffer): DatagramResponder {
  const asked = Buffer.concat([prefix, Buffer.from('status\n')]);
  return (server, request) =>
    request.equals(asked) ? [Buffer.concat([prefix, Buffer.from(`n${statusOf(server)}\0`, 'latin1')])] : [];
}

function statusOf(server: FleetServer): string {
  const info = {
    maxclients: server.maxplayers,
    needpass: server.password ? 1 : 0,
    '*version': server.version,
    hostname: server.name,
    map: server.map,
  };
  const infoString = Object.entries(info).map(([key, value]) => `\\${key}\\${value}`);
  const players = server.players.map(
    ({ name, score, time }, i) =>
      `${i} ${score} ${Math.floor(time / 60)} ${20 + i} "${name}" "base" 4 ${i % 14}\n`,
  );
  return `${infoString.join('')}\n${players.join('')}`;
}
