// The server info of AssaultCube. The query port is the join port plus 1. Source: `serverms` in
// source/src/serverms.cpp and `extping_namelist` in source/src/server.cpp of https://github.com/assaultcube/AC

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { CubeReader, cubeNumber, repeats } from './cube-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/** Last byte of the request. It makes the server add the player names to the server info. */
const NAME_LIST = 1;
const PASSWORD_FLAG = 1;

function read(datagram: Buffer, question: Buffer): Step {
  if (!repeats(datagram, question)) return MORE;
  return { kind: 'done', status: parseInfo(new CubeReader(datagram, question.length)) };
}

function parseInfo(reader: CubeReader): RawStatus {
  reader.int(); // unused field: protocol number
  reader.int(); // unused field: game mode
  const players = reader.count('players');
  reader.int(); // unused field: minutes left
  const map = reader.text();
  const name = reader.text();
  const maxplayers = reader.count('places');
  const flags = reader.int();
  if (reader.int() !== NAME_LIST) throw new MalformedReply('no names');
  const playerList: RawPlayer[] = [];
  for (let listed = reader.text(); listed !== ''; listed = reader.text()) {
    // A list with more names than the player count is malformed. A list with fewer names is valid, because the count
    // also includes players who are still connecting.
    if (playerList.length === players) throw new MalformedReply(`more names than ${players} players`);
    playerList.push({ name: listed });
  }
  reader.end();
  return { name, map, players, maxplayers, password: (flags & PASSWORD_FLAG) !== 0, playerList };
}

/** The protocol of AssaultCube since version 1.0. */
export const assaultcube: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ nonce }) => {
    const question = Buffer.concat([cubeNumber(nonce), Buffer.from([NAME_LIST])]);
    return new PingExchange(question, datagram => read(datagram, question));
  },
};
