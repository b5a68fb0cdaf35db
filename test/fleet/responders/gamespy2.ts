import { bytes, cstring, u16be } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const QUERY = Buffer.from([0xfe, 0xfd, 0x00]);
/** Maximum packet size of the Query & Reporting 2 SDK in bytes. A longer reply is truncated. */
const MAX_BYTES = 1400;

/** Fake server that answers like the Query & Reporting 2 SDK without challenges. It reports no play times. */
export const gamespy2: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    if (request.length < 10 || !request.subarray(0, 3).equals(QUERY)) return [];
    const [facts, players, teams] = [...request.subarray(7, 10)].map(wanted => wanted === 0xff);
    const reply = bytes(
      0,
      request.subarray(3, 7),
      facts ? rules(server) : Buffer.alloc(0),
      players ? list(server) : Buffer.alloc(0),
      teams ? bytes(u16be(0), 0) : Buffer.alloc(0),
    );
    return [reply.length <= MAX_BYTES ? reply : bytes(reply.subarray(0, MAX_BYTES - 1), 0)];
  },
};

function rules({ name, map, version, maxplayers, password, port, players }: FleetServer): Buffer {
  const facts = [
    ['hostname', name],
    ['gamever', version],
    ['hostport', port],
    ['maxplayers', maxplayers],
    ['password', password ? 1 : 0],
    ['mapname', map],
    ['dedicated', 1],
    ['numplayers', players.length],
  ];
  return bytes(...facts.flat().map(text => cstring(String(text))), 0);
}

function list({ players }: FleetServer): Buffer {
  const fields = ['player_', 'score_', 'ping_', 'team_', ''];
  const rows = players.flatMap(({ name, score }) => [name, String(score), '48', '0']);
  return bytes(u16be(players.length), ...[...fields, ...rows].map(cstring));
}
