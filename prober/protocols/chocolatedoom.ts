// The status query of Chocolate Doom. Source: src/net_query.c and `NET_ReadQueryData` in src/net_structrw.c of
// https://github.com/chocolate-doom/chocolate-doom

import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

const QUERY = 13;
const QUERY_RESPONSE = 14;
const QUESTION = Buffer.from([0, QUERY]);

function read(datagram: Buffer): Step {
  const reader = new ByteReader(datagram);
  const type = reader.u16be();
  // Ignores messages with a type below 256 that are not query replies, because servers send them only to players.
  if (type !== QUERY_RESPONSE && type < 0x100) return MORE;
  if (type !== QUERY_RESPONSE) throw new MalformedReply(`packet ${type}`);
  const version = reader.cstring();
  reader.skip(1); // unused field: state of the game
  const players = reader.u8();
  const maxplayers = reader.u8();
  reader.skip(2); // unused fields: game mode, game mission
  const name = reader.cstring();
  // Skips the list of supported protocols at the end of the reply. Servers send it since version 3 of Chocolate Doom.
  for (let left = reader.remaining > 0 ? reader.u8() : 0; left > 0; left--) reader.skipCstring();
  reader.end();
  return { kind: 'done', status: { name, players, maxplayers, version } };
}

/** The protocol of Chocolate Doom and its forks: Crispy Doom, Woof! and others. */
export const chocolatedoom: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: () => new PingExchange(QUESTION, read),
};
