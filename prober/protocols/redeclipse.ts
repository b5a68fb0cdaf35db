// The server info of Red Eclipse. The query port is the join port plus 1. Source: `queryreply` in src/game/server.cpp
// of https://github.com/redeclipse/base

import type { RawStatus } from '../answers/raw-status.ts';
import { CubeReader, cubeNumber, repeats } from './cube-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/**
 * A server sends a list of attributes. This is the index of the attribute with the number of player slots. It is the
 * same in all versions since 1.5, because newer versions only append attributes at the end of the list.
 */
const AT_PLACES = 4;
const AT_MASTER_MODE = 5;
const AT_VERSION = 8;
const LEAST_ATTRIBUTES = 15;
const MOST_ATTRIBUTES = 64;
const MASTER_MODE_PASSWORD = 4;
const MAX_PLAYERS = 255;

function read(datagram: Buffer, question: Buffer): Step {
  if (!repeats(datagram, question)) return MORE;
  return { kind: 'done', status: parseInfo(new CubeReader(datagram, question.length)) };
}

function parseInfo(reader: CubeReader): RawStatus {
  const players = reader.count('players');
  if (players > MAX_PLAYERS) throw new MalformedReply(`${players} players`);
  const count = reader.count('attributes');
  if (count < LEAST_ATTRIBUTES || count > MOST_ATTRIBUTES) throw new MalformedReply(`${count} attributes`);
  const attributes = Array.from({ length: count }, () => reader.int());
  const maxplayers = attributes[AT_PLACES] ?? 0;
  if (maxplayers < 0) throw new MalformedReply(`${maxplayers} places`);
  const map = reader.text();
  const name = reader.text();
  reader.text(); // unused field: source code branch of the server
  const playerList = Array.from({ length: players }, () => ({ name: reader.text() }));
  for (let left = players; left > 0; left--) reader.text(); // unused fields: account names of the players
  reader.end();
  return {
    name,
    map,
    players,
    maxplayers,
    password: attributes[AT_MASTER_MODE] === MASTER_MODE_PASSWORD,
    version: attributes.slice(AT_VERSION, AT_VERSION + 3).join('.'),
    playerList,
  };
}

/** The protocol of Red Eclipse since version 1.5. */
export const redeclipse: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ nonce }) => {
    const question = cubeNumber(nonce);
    return new PingExchange(question, datagram => read(datagram, question));
  },
};
