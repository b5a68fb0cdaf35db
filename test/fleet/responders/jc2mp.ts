import { bytes, cstring, u16be } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const CHALLENGE_REQUEST = Buffer.from([0xfe, 0xfd, 0x09]);
const QUERY = Buffer.from([0xfe, 0xfd, 0x00]);
const CHALLENGE = 0x12345678;
const WANTED = Buffer.from([0x12, 0x34, 0x56, 0x78, 0xff, 0xff, 0xff, 0x02]);

/** Fake server that answers like Just Cause 2 Multiplayer. It reports only name, Steam id and ping of each player. */
export const jc2mp: Responder = {
  transport: 'udp',
  respond: (server, request) => {
    const kind = request.subarray(0, 3);
    const id = request.subarray(3, 7);
    if (kind.equals(CHALLENGE_REQUEST) && id.length === 4)
      return [bytes(0x09, id, cstring(String(CHALLENGE)))];
    if (!kind.equals(QUERY) || !request.subarray(7).equals(WANTED)) return [];
    return [bytes(0x00, id, cstring('splitnum'), 0x80, 0, facts(server), players(server))];
  },
};

function facts({ name, map, version, maxplayers, password, port, players }: FleetServer): Buffer {
  const pairs = [
    ['hostname', name],
    ['version', version],
    ['hostport', port],
    ['mapname', map],
    ['numplayers', players.length],
    ['maxplayers', maxplayers],
    ['password', password ? 1 : 0],
  ];
  return bytes(...pairs.flat().map(text => cstring(String(text))), 0);
}

function players({ players }: FleetServer): Buffer {
  const list = players.map(({ name }, i) => bytes(cstring(name), cstring(`7656119${i}`), u16be(48)));
  return bytes(u16be(players.length), ...list);
}
