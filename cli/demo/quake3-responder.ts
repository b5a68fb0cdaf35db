import type { FakeState } from './fake-server.ts';

const PREFIX = Buffer.from([0xff, 0xff, 0xff, 0xff]);

/**
 * Replaces the characters that a Quake III status reply uses as delimiters: backslashes, quotes and line ends. Each
 * becomes a blank.
 */
function clean(value: string): string {
  return value.replace(/[\\"\r\n]/g, ' ');
}

function infoString(pairs: Record<string, string | number>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `\\${key}\\${clean(String(value))}`)
    .join('');
}

/**
 * Returns the reply to a `getstatus` or `getinfo` datagram of Quake III; undefined if a real server would not reply.
 * Source: `SV_ConnectionlessPacket` in sv_main.c of Quake III.
 */
export function respondQuake3(state: FakeState, request: Buffer): Buffer | undefined {
  if (request.length > 256 || !request.subarray(0, 4).equals(PREFIX)) return undefined;
  const [command = '', challenge = ''] = request
    .toString('latin1', 4)
    .split(/[\s\0]+/)
    .map(clean);
  const echo: Record<string, string> = challenge === '' ? {} : { challenge: challenge.slice(0, 128) };
  if (command === 'getstatus') {
    const settings = infoString({
      ...echo,
      sv_hostname: state.name,
      mapname: state.map,
      version: state.version,
      sv_maxclients: state.maxplayers,
      g_needpass: state.password ? 1 : 0,
      gamename: 'baseq3',
      protocol: 68,
    });
    const players = state.players.map(({ name, score }, i) => `${score} ${20 + i} "${clean(name)}"\n`);
    return Buffer.concat([PREFIX, Buffer.from(`statusResponse\n${settings}\n${players.join('')}`, 'latin1')]);
  }
  if (command === 'getinfo') {
    const settings = infoString({
      ...echo,
      protocol: 68,
      hostname: state.name,
      mapname: state.map,
      clients: state.players.length,
      sv_maxclients: state.maxplayers,
    });
    return Buffer.concat([PREFIX, Buffer.from(`infoResponse\n${settings}`, 'latin1')]);
  }
  return undefined;
}
