import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const GAMEDIG = fileURLToPath(new URL('../../node_modules/gamedig/bin/gamedig.js', import.meta.url));

/** Status of a game server, reported by a client that is not part of gsq. */
export interface Facts {
  name: string;
  map: string;
  players: number;
  maxplayers: number;
}

/**
 * Queries 127.0.0.1:`port` in the Quake 3 protocol with the program `quakestat`. Returns undefined while the server
 * does not answer.
 */
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

/**
 * Queries 127.0.0.1:`port` in the protocol of DDNet and Teeworlds 0.6 with `quakestat`. Returns undefined while the
 * server does not answer.
 */
export async function quakestatTee(port: number): Promise<Facts | undefined> {
  return readQuakestat(await quakestatJson('-tees', port));
}

/**
 * Queries 127.0.0.1:`port` in the protocol of Sauerbraten with `quakestat`. `port` is the port that players join.
 * Returns undefined while the server does not answer.
 */
export async function quakestatCube(port: number): Promise<Facts | undefined> {
  return readQuakestat(await quakestatJson('-cubes', port));
}

/**
 * Queries a Red Eclipse server on 127.0.0.1:`port` with `quakestat`. quakestat reports the maximum number of players of
 * such a server as `attr4`. Returns undefined if the server does not answer.
 */
export async function quakestatRedEclipse(port: number): Promise<Facts | undefined> {
  const server = await quakestatJson('-cubes', port, '-R');
  const facts = readQuakestat(server);
  return facts && { ...facts, maxplayers: Number(server.rules?.attr4) };
}

/**
 * Queries 127.0.0.1:`port` with the script `bzfquery` of BZFlag. The script reports no server name. Returns undefined
 * while the server does not answer.
 */
export async function bzfquery(port: number): Promise<Facts | undefined> {
  const { stdout } = await run('/usr/games/bzfquery', ['127.0.0.1', `${port}`]).catch(() => ({ stdout: '' }));
  const [, maxplayers] = /^maxPlayers: (\d+)$/m.exec(stdout) ?? [];
  if (maxplayers === undefined) return undefined;
  const listed = [...stdout.matchAll(/^player .* is a /gm)];
  return { name: `127.0.0.1:${port}`, map: '', players: listed.length, maxplayers: Number(maxplayers) };
}

/** Queries 127.0.0.1:`port` with the client of Chocolate Doom. Returns undefined while the server does not answer. */
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

/**
 * Queries an Armagetron server with gamedig. Sends a short query first, because an idle server ignores gamedig's query.
 * Returns undefined if the server does not answer.
 */
export async function armagetron(port: number): Promise<Facts | undefined> {
  const socket = createSocket('udp4');
  await new Promise(sent => socket.send(ARMAGETRON_SHORT_QUESTION, port, '127.0.0.1', sent));
  socket.close();
  const facts = await gamedig('armagetronadvanced', port);
  return facts && { ...facts, name: facts.name.replace(/0xRESETT/g, '') };
}

/** Queries 127.0.0.1:`port` with the command line of gamedig. Returns undefined while the server does not answer. */
export async function gamedig(type: string, port: number): Promise<Facts | undefined> {
  const argv = [GAMEDIG, '--type', type, '--givenPortOnly', `127.0.0.1:${port}`];
  const { stdout } = await run(process.execPath, argv);
  const server = JSON.parse(stdout);
  if ('error' in server) return undefined;
  return { name: server.name, map: server.map, players: server.numplayers, maxplayers: server.maxplayers };
}
