import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
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
  return readQuakestat(await quakestatJson('-q3s', port));
}

interface QuakestatServer {
  status: string;
  name: string;
  map: string;
  numplayers: number;
  maxplayers: number;
  rules?: Record<string, string>;
}

async function quakestatJson(type: string, port: number, ...flags: string[]): Promise<QuakestatServer> {
  const { stdout } = await run('quakestat', ['-json', ...flags, type, `127.0.0.1:${port}`]);
  return JSON.parse(stdout)[0];
}

function readQuakestat(server: QuakestatServer): Facts | undefined {
  if (server.status !== 'online') return undefined;
  return { name: server.name, map: server.map, players: server.numplayers, maxplayers: server.maxplayers };
}

/** Asks 127.0.0.1:`port` by the protocol of DDNet and Teeworlds 0.6 with `quakestat`; undefined while it does not answer. */
export async function quakestatTee(port: number): Promise<Facts | undefined> {
  return readQuakestat(await quakestatJson('-tees', port));
}

/** Asks the server joined at 127.0.0.1:`port` by Sauerbraten's protocol with `quakestat`; undefined while it is silent. */
export async function quakestatCube(port: number): Promise<Facts | undefined> {
  return readQuakestat(await quakestatJson('-cubes', port));
}

/** The same of Red Eclipse, whose places are not where Sauerbraten's are. */
export async function quakestatRedEclipse(port: number): Promise<Facts | undefined> {
  const server = await quakestatJson('-cubes', port, '-R');
  const facts = readQuakestat(server);
  return facts && { ...facts, maxplayers: Number(server.rules?.attr4) };
}

/** Asks 127.0.0.1:`port` with BZFlag's own script, which learns no name; undefined while it does not answer. */
export async function bzfquery(port: number): Promise<Facts | undefined> {
  const { stdout } = await run('/usr/games/bzfquery', ['127.0.0.1', `${port}`]).catch(() => ({ stdout: '' }));
  const [, maxplayers] = /^maxPlayers: (\d+)$/m.exec(stdout) ?? [];
  if (maxplayers === undefined) return undefined;
  const listed = [...stdout.matchAll(/^player .* is a /gm)];
  return { name: `127.0.0.1:${port}`, map: '', players: listed.length, maxplayers: Number(maxplayers) };
}

/** Asks 127.0.0.1:`port` with Chocolate Doom's own client; undefined while it does not answer. */
export async function chocolateQuery(port: number): Promise<Facts | undefined> {
  const { stdout } = await run('/usr/games/chocolate-doom', ['-query', `127.0.0.1:${port}`]).catch(() => ({
    stdout: '',
  }));
  const [, players, maxplayers, name] =
    /^ *\d+ +127\.0\.0\.1\S* +(\d+)\/ *(\d+) +(.*?) *$/m.exec(stdout) ?? [];
  if (name === undefined) return undefined;
  return { name, map: '', players: Number(players), maxplayers: Number(maxplayers) };
}

const ARMAGETRON_SHORT_QUESTION = Buffer.from('0034000000000011', 'hex');

/** As gamedig sees an Armagetron server, once the question for less has waked it up. */
export async function armagetron(port: number): Promise<Facts | undefined> {
  const socket = createSocket('udp4');
  await new Promise(sent => socket.send(ARMAGETRON_SHORT_QUESTION, port, '127.0.0.1', sent));
  socket.close();
  const facts = await gamedig('armagetronadvanced', port);
  return facts && { ...facts, name: facts.name.replace(/0xRESETT/g, '') };
}

/** Asks 127.0.0.1:`port` with gamedig's own command; undefined while it does not answer. */
export async function gamedig(type: string, port: number): Promise<Facts | undefined> {
  const argv = [GAMEDIG, '--type', type, '--givenPortOnly', `127.0.0.1:${port}`];
  const { stdout } = await run(process.execPath, argv);
  const server = JSON.parse(stdout);
  if ('error' in server) return undefined;
  return { name: server.name, map: server.map, players: server.numplayers, maxplayers: server.maxplayers };
}
