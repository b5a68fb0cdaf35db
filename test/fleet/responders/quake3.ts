import type { Responder } from '../responder.ts';

const REQUEST = /^\xff{4}getstatus(?: ([\w.-]{1,128}))?\n?\0?$/;

/** As ioquake3 answers. Tells no times. */
export const quake3: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    const [asked, challenge = ''] = REQUEST.exec(request.toString('latin1')) ?? [];
    if (asked === undefined) return [];
    const info = {
      challenge,
      version: server.version,
      protocol: 68,
      mapname: server.map,
      sv_hostname: server.name,
      sv_maxclients: server.maxplayers,
      g_needpass: server.password ? 1 : 0,
      gamename: 'baseq3',
    };
    const infoString = Object.entries(info).map(([key, value]) => `\\${key}\\${value}`);
    const players = server.players.map(({ name, score }, i) => `${score} ${20 + i} "${name}"\n`);
    const text = `statusResponse\n${infoString.join('')}\n${players.join('')}`;
    return [Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from(text)])];
  },
};
