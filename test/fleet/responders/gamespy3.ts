import { crc32 } from 'node:zlib';
import { bytes, cstring } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const MAGIC = Buffer.from([0xfe, 0xfd]);
const CHALLENGE = 0x09;
const QUERY = 0x00;
const ALL_IN_PARTS = Buffer.from([0xff, 0xff, 0xff, 0x01]);
const LAST_PART = 0x80;
const PLAYERS = 1;
const TEAMS = 2;
const MAX_BYTES = 1400;

/**
 * Fake GameSpy 3 server. Like the Query & Reporting 2 SDK, it sends a challenge first. It does not report how long the
 * players have played.
 */
export const gamespy3: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.length < 7 || !request.subarray(0, 2).equals(MAGIC)) return [];
    const id = request.subarray(3, 7);
    if (request[2] === CHALLENGE)
      return [bytes(CHALLENGE, id, cstring(String(challenge(server).readInt32BE())))];
    const asked = bytes(challenge(server), ALL_IN_PARTS);
    if (request[2] !== QUERY || !request.subarray(7).equals(asked)) return [];
    const parts = split(server);
    return parts.map((part, i) => {
      const number = i === parts.length - 1 ? i | LAST_PART : i;
      return bytes(QUERY, id, cstring('splitnum'), number, part);
    });
  },
};

/** Returns the GameSpy 3 challenge of a fake server, computed from its name and port. */
function challenge({ name, port }: FleetServer): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(crc32(`${name}:${port}`));
  return number;
}

/**
 * Splits the properties and player lists of a server into GameSpy 3 packets. If a list does not fit into a packet, the
 * next packet contains the rest of the list, and the index of the first player in this rest.
 */
function split(server: FleetServer): Buffer[] {
  const parts = [rules(server)];
  const add = (piece: Buffer, inNewPart: Buffer) => {
    const part = parts.pop() ?? Buffer.alloc(0);
    if (part.length + piece.length <= MAX_BYTES) parts.push(bytes(part, piece));
    else parts.push(part, ...(inNewPart.length > 0 ? [inNewPart] : []));
  };
  const nothing = Buffer.alloc(0);
  add(bytes(PLAYERS), bytes(PLAYERS));
  const fields = { player_: name, score_: score, ping_: () => '48' };
  for (const [field, value] of Object.entries(fields)) {
    const head = bytes(cstring(field), 0);
    add(head, bytes(PLAYERS, head));
    for (const [place, player] of server.players.entries()) {
      const text = cstring(value(player));
      add(text, bytes(PLAYERS, cstring(field), place, text));
    }
    // Ends the list with an empty string. Leaves this terminator out if it does not fit into the packet.
    add(cstring(''), nothing);
  }
  add(bytes(0), nothing);
  add(bytes(TEAMS, 0), bytes(TEAMS, 0));
  return parts;
}

const name = (player: { name: string }) => player.name;
const score = (player: { score: number }) => String(player.score);

function rules({ name, map, version, maxplayers, password, port, players }: FleetServer): Buffer {
  const facts = [
    ['hostname', name],
    ['gamename', 'crysis'],
    ['gamever', version],
    ['hostport', port],
    ['mapname', map],
    ['numplayers', players.length],
    ['maxplayers', maxplayers],
    ['password', password ? 1 : 0],
  ];
  return bytes(0, ...facts.flat().map(text => cstring(String(text))), 0);
}
