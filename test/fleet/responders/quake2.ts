import type { Responder } from '../responder.ts';

const REQUEST = /^\xff{4}status[\n\0]*$/;

/** Fake server that answers like the Quake 2 server R1Q2, which reports no play times. */
export const quake2: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (!REQUEST.test(request.toString('latin1'))) return [];
    const info = {
      mapname: server.map,
      needpass: server.password ? 1 : 0,
      cheats: 0,
      version: server.version,
      hostname: server.name,
      maxclients: server.maxplayers,
    };
    const infoString = Object.entries(info).map(([key, value]) => `\\${key}\\${value}`);
    const players = server.players.map(({ name, score }, i) => `${score} ${20 + i} "${name}"\n`);
    const text = `print\n${infoString.join('')}\n${players.join('')}`;
    return [Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from(text)])];
  },
};
