import { bytes, i32 } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const HEADER_BYTES = 12;
const RESPONSE = 0x40000000;

function encode(sequence: number, words: string[]): Buffer {
  const body = bytes(...words.map(word => bytes(i32(Buffer.byteLength(word)), word, 0)));
  return bytes(i32(sequence), i32(HEADER_BYTES + body.length), i32(words.length), body);
}

/**
 * Decodes the Battlefield requests of one client. `stream` contains all bytes received from the client. Returns
 * undefined if the last request in `stream` is incomplete.
 */
function decode(stream: Buffer): { sequence: number; words: string[] }[] | undefined {
  const requests = [];
  for (let rest = stream; rest.length > 0; ) {
    if (rest.length < HEADER_BYTES || rest.length < rest.readUInt32LE(4)) return undefined;
    const words: string[] = [];
    let at = HEADER_BYTES;
    for (let left = rest.readUInt32LE(8); left > 0; left--) {
      const end = at + 4 + rest.readUInt32LE(at);
      words.push(rest.toString('utf8', at + 4, end));
      at = end + 1;
    }
    requests.push({ sequence: rest.readUInt32LE(0), words });
    rest = rest.subarray(at);
  }
  return requests;
}

function answer(server: FleetServer, [command, ...rest]: string[]): string[] {
  if (command === 'serverInfo') return serverInfo(server);
  if (command === 'version') return ['OK', 'BF4', server.version];
  if (command !== 'listPlayers') return ['UnknownCommand'];
  return rest[0] === 'all' ? playerList(server) : ['InvalidArguments'];
}

function serverInfo({ name, map, maxplayers, password, players, port }: FleetServer): string[] {
  const places = [String(players.length), String(maxplayers)];
  const round = ['ConquestLarge0', map, '0', '2'];
  const scores = ['2', '168', '2277.5', '0'];
  const state = ['', 'true', 'true', String(password), '159751', '921'];
  return ['OK', name, ...places, ...round, ...scores, ...state, `192.0.2.7:${port}`, '', 'true', 'EU'];
}

function playerList({ players }: FleetServer): string[] {
  const fields = ['name', 'guid', 'teamId', 'squadId', 'kills', 'deaths', 'score', 'rank', 'ping', 'type'];
  const rows = players.flatMap(({ name, score }) => [
    name,
    '',
    '1',
    '2',
    '3',
    '4',
    String(score),
    '5',
    '30',
    '0',
  ]);
  return ['OK', String(fields.length), ...fields, String(players.length), ...rows];
}

/** Fake server that answers like the remote administration of Battlefield 4, for clients that are not logged in. */
export const battlefield: Responder = {
  transport: 'tcp',
  respond: (server, stream) =>
    decode(stream)?.map(({ sequence, words }) => encode(sequence | RESPONSE, answer(server, words))),
};
