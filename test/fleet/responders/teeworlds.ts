import type { FleetServer, Responder } from '../responder.ts';

const GETINFO = '\xff\xff\xff\xffgie3';
/**
 * Maximum number of payload bytes in a Teeworlds packet of 1400 bytes. The other 18 bytes contain the packet type and a
 * token.
 */
const MAX_PAYLOAD = 1400 - 18;
const SERVER_TOKEN = Buffer.from('0a0b0c0d', 'hex');

/**
 * Fake server that answers like DDNet, in the formats of Teeworlds 0.6, Teeworlds 0.7 and DDNet. It reports no play
 * times.
 */
export const teeworlds: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.subarray(0, 3).equals(Buffer.from([4, 0, 0]))) return respondToken(request);
    if (request[0] === 0x21) return respondSeven(server, request);
    if (request.toString('latin1', 6, 14) !== GETINFO || request.length !== 15) return [];
    const byte = request.readUInt8(14);
    if (request.toString('latin1', 0, 2) !== 'xe') return [sixInfo('inf3', byte, vanilla(server))];
    const token = (request.readUInt16BE(2) << 8) | byte;
    return extended(server).map((body, i) => sixInfo(i === 0 ? 'iext' : 'iex+', token, body));
  },
};

function respondToken(request: Buffer): Buffer[] {
  // Ignores a Teeworlds token request that is not padded to 520 bytes. The padding makes each request longer than its
  // answer, so attackers cannot use the server to amplify traffic.
  if (request.length < 7 + 1 + 512 || request[7] !== 5) return [];
  return [Buffer.concat([Buffer.from([4, 0, 0]), request.subarray(8, 12), Buffer.from([5]), SERVER_TOKEN])];
}

function respondSeven(server: FleetServer, request: Buffer): Buffer[] {
  const isAsked =
    request.subarray(1, 5).equals(SERVER_TOKEN) && request.toString('latin1', 9, 17) === GETINFO;
  if (!isAsked || request.length < 18) return [];
  const { players } = server;
  const counts = [players.length, server.maxplayers, players.length, server.maxplayers];
  const entries = players.map(({ name, score }) => [text(name, ''), ...[-1, score, 0].map(packed)]);
  return [
    Buffer.concat([
      ...[
        Buffer.from([0x21]),
        request.subarray(5, 9),
        SERVER_TOKEN,
        Buffer.from('\xff\xff\xff\xffinf3', 'latin1'),
      ],
      ...[request.subarray(17), text(server.version, server.name, 'host.example', server.map, 'DM')],
      ...[server.password ? 1 : 0, 1, ...counts].map(packed),
      ...entries.flat(),
    ]),
  ];
}

function sixInfo(kind: string, token: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(10, 0xff), Buffer.from(kind), text(token), body]);
}

function vanilla(server: FleetServer): Buffer {
  const count = Math.min(server.players.length, 16);
  const places = Math.min(server.maxplayers, 16);
  const head = text(server.version, server.name, server.map, 'DM', server.password ? 1 : 0);
  const players = server.players.slice(0, 16).map(({ name, score }) => text(name, '', -1, score, 1));
  return Buffer.concat([head, text(count, places, count, places), ...players]);
}

function extended(server: FleetServer): Buffer[] {
  const { players, maxplayers, password } = server;
  const counts = [players.length, maxplayers, players.length, maxplayers];
  const head = text(
    server.version,
    server.name,
    server.map,
    12345,
    6789,
    'DM',
    password ? 1 : 0,
    ...counts,
    '',
  );
  const parts: Buffer[] = [];
  let part = head;
  for (const { name, score } of players) {
    const entry = text(name, 'clan', -1, score, 1, '');
    if (part.length + entry.length >= MAX_PAYLOAD) {
      parts.push(part);
      part = text(parts.length, '');
    }
    part = Buffer.concat([part, entry]);
  }
  return [...parts, part];
}

function text(...fields: (string | number)[]): Buffer {
  return Buffer.from(fields.map(field => `${field}\0`).join(''));
}

/** Encodes a number as in Teeworlds 0.7: a sign and six bits in the first byte, seven bits in each further byte. */
function packed(value: number): Buffer {
  const sign = value < 0 ? 0x40 : 0;
  let rest = value < 0 ? ~value : value;
  const out = [sign | (rest & 0x3f)];
  rest >>>= 6;
  while (rest > 0) {
    out[out.length - 1] = (out.at(-1) ?? 0) | 0x80;
    out.push(rest & 0x7f);
    rest >>>= 7;
  }
  return Buffer.from(out);
}
