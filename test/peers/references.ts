import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const GAMEDIG = fileURLToPath(new URL('../../node_modules/gamedig/bin/gamedig.js', import.meta.url));

/** What a game server is known by, whoever asks it. */
export interface Facts {
  name: string;
  map: string;
  players: number;
  maxplayers: number;
}

/** Asks 127.0.0.1:`port` by Quake 3's protocol with `quakestat`; undefined while it does not answer. */
export async function quakestat(port: number): Promise<Facts | undefined> {
  const { stdout } = await run('quakestat', ['-json', '-q3s', `127.0.0.1:${port}`]);
  const [server] = JSON.parse(stdout);
  if (server.status !== 'online') return undefined;
  return { name: server.name, map: server.map, players: server.numplayers, maxplayers: server.maxplayers };
}

/** Asks 127.0.0.1:`port` with gamedig's own command; undefined while it does not answer. */
export async function gamedig(type: string, port: number): Promise<Facts | undefined> {
  const argv = [GAMEDIG, '--type', type, '--givenPortOnly', `127.0.0.1:${port}`];
  const { stdout } = await run(process.execPath, argv);
  const server = JSON.parse(stdout);
  if ('error' in server) return undefined;
  return { name: server.name, map: server.map, players: server.numplayers, maxplayers: server.maxplayers };
}
