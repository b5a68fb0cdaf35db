import type { Responder } from '../responder.ts';

const REQUEST = /^\xff{4}get(status|info)(?: ([\w.-]{1,128}))?\n?\0?$/;

/** Fake server that answers like ioquake3, which reports no play times. */
export const quake3: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    const [, asked, challenge = ''] = REQUEST.exec(request.toString('latin1')) ?? [];
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
    if (asked === 'info') {
      const { mapname, sv_maxclients, protocol, sv_hostname: hostname } = info;
      return [
        outOfBand(
          `infoResponse\n${infoStringOf({ challenge, protocol, hostname, mapname, clients: server.players.length, sv_maxclients })}`,
        ),
      ];
    }
    const players = server.players.map(({ name, score }, i) => `${score} ${20 + i} "${name}"\n`);
    return [outOfBand(`statusResponse\n${infoStringOf(info)}\n${players.join('')}`)];
  },
};

function infoStringOf(info: Record<string, string | number>): string {
  return Object.entries(info)
    .map(([key, value]) => `\\${key}\\${value}`)
    .join('');
}

function outOfBand(text: string): Buffer {
  return Buffer.concat([Buffer.alloc(4, 0xff), Buffer.from(text)]);
}
