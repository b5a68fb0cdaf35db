import type { FleetServer, Responder } from '../responder.ts';

const LIST_QUESTION = Buffer.from([0, 1, 0xff]);
const PASSWORD_NEEDED = 4;

/** Encodes a number in the format of the game engines Cube and Cube 2. */
export function int(value: number): Buffer {
  if (value > -0x7f && value < 0x80) return Buffer.from([value & 0xff]);
  if (value >= -0x8000 && value < 0x8000) return Buffer.from([0x80, value & 0xff, (value >> 8) & 0xff]);
  const long = Buffer.from([0x81, 0, 0, 0, 0]);
  long.writeUInt32LE(value >>> 0, 1);
  return long;
}

/**
 * Encodes a text in the format of the game engines Cube and Cube 2: each character is encoded as a number. Characters
 * that are neither ASCII nor colour codes are replaced with `?`.
 */
export function string(text: string): Buffer {
  const plain = Buffer.from(text.replace(/[^\f -~]/g, '?'));
  return Buffer.concat([...plain, 0].map(int));
}

const ints = (...values: number[]): Buffer => Buffer.concat(values.map(int));

function respond(reply: (server: FleetServer, request: Buffer) => Buffer[]): Responder {
  return {
    transport: 'udp',
    respond: (server, request) => (request.length === 0 ? [] : reply(server, request)),
  };
}

/** Fake server that answers like the 2020 release of Sauerbraten. It sends one packet for each player. */
export const sauerbraten: Responder = respond((server, request) => {
  const { players, maxplayers, password, map, name } = server;
  if (request.subarray(0, LIST_QUESTION.length).equals(LIST_QUESTION)) {
    const head = Buffer.concat([request, ints(-1, 105, 0)]);
    const ids = players.map((_, id) => id).slice(0, 128);
    return [
      Buffer.concat([head, int(-10), ints(...ids, 128)]),
      ...ids.map(id => Buffer.concat([head, int(-11), player(server, id)])),
    ];
  }
  if (request[0] === 0) return [];
  const attributes = ints(260, 3, 600, maxplayers, password ? PASSWORD_NEEDED : 0);
  return [Buffer.concat([request, ints(players.length, 5), attributes, string(map), string(name)])];
});

function player({ players }: FleetServer, id: number): Buffer {
  const { name = '', score = 0 } = players[id] ?? {};
  const rest = ints(0, 7, 0, 40, 100, 0, 4, 0, 0);
  return Buffer.concat([ints(id, 63), string(name), string('good'), int(score), rest, Buffer.alloc(3, 127)]);
}

/** Fake server that answers like Red Eclipse 2. It sends a single packet with player names but without scores. */
export const redeclipse: Responder = respond((server, request) => {
  const { players, maxplayers, password, version, map, name } = server;
  if (request[0] === 0) return [];
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const rules = ints(264, 2, 1024, 600_000, maxplayers, password ? PASSWORD_NEEDED : 0, 3, 0);
  const build = ints(major || 0, minor || 0, patch || 0, 2, 64, 5, -1);
  return [
    Buffer.concat([
      ...[request, ints(players.length, 15), rules, build, string(map), string(name), string('stable')],
      ...players.map(listed => string(listed.name)),
      ...players.map((_, i) => string(i === 0 ? 'account' : '')),
    ]),
  ];
});

/** Fake server that answers like AssaultCube 1.2. Its reply contains the player names. */
export const assaultcube: Responder = respond((server, request) => {
  const { players, maxplayers, password, map, name } = server;
  if (request[0] === 0 || request.length < 6) return [];
  const flags = ints(password ? 1 : 0, request.readInt8(request.length - 1));
  return [
    Buffer.concat([
      ...[request, ints(1201, 5, players.length, 9), string(map), string(name), int(maxplayers), flags],
      ...players.map(listed => string(listed.name)),
      string(''),
    ]),
  ];
});
