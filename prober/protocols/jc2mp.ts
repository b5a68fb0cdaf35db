// The variant of GameSpy's third protocol in Just Cause 2 Multiplayer. Source: protocols/gamespy3.js of
// https://github.com/gamedig/node-gamedig

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MAX_GAMESPY_PLAYERS, readFacts } from './gamespy-facts.ts';
import { readRules } from './gamespy2.ts';
import { type Gamespy3Dialect, Gamespy3Exchange } from './gamespy3.ts';
import { MalformedReply, type Protocol } from './protocol.ts';

function readStatus([reply = Buffer.alloc(0)]: Buffer[]): RawStatus {
  const reader = new ByteReader(reply);
  reader.skip(1); // unused field: type of the section
  const rules = readRules(reader);
  const playerList: RawPlayer[] = [];
  const count = reader.u16be();
  while (reader.remaining > 0) {
    if (playerList.length === MAX_GAMESPY_PLAYERS) throw new MalformedReply('too many players');
    playerList.push({ name: reader.cstring() });
    reader.cstring(); // unused field: Steam id
    reader.skip(2); // unused field: ping
  }
  return { ...readFacts(rules, count), playerList };
}

const dialect: Gamespy3Dialect = {
  wanted: Buffer.from([0xff, 0xff, 0xff, 0x02]),
  inOnePart: true,
  read: readStatus,
};

/** The protocol of Just Cause 2 Multiplayer. */
export const jc2mp: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new Gamespy3Exchange(dialect, context.nonce),
};
