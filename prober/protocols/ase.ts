// The query protocol of All-Seeing Eye, a server browser. Source: `ASE::QueryFull` in
// Server/mods/deathmatch/logic/ASE.cpp of https://github.com/multitheftauto/mtasa-blue

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, type Protocol, type Step } from './protocol.ts';

const QUESTION = Buffer.from('s', 'latin1');
const MAGIC = 'EYE1';

const MAX_PLAYERS = 1024;
const INTEGER = /^-?\d{1,10}$/;

// Flags in the first byte of a player entry. Each set flag means that the entry contains the field of the same name.
// The fields have the order of the flags.
const NAME = 0x01;
const TEAM = 0x02;
const SKIN = 0x04;
const SCORE = 0x08;
const PING = 0x10;
const TIME = 0x20;
const KNOWN = NAME | TEAM | SKIN | SCORE | PING | TIME;

function read(datagram: Buffer): Step {
  if (datagram.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new MalformedReply('no EYE1 reply');
  return { kind: 'done', status: readStatus(new ByteReader(datagram, MAGIC.length)) };
}

function readStatus(reader: ByteReader): RawStatus {
  readText(reader); // unused field: name of the game
  const port = readText(reader);
  const name = readText(reader);
  readText(reader); // unused field: game mode
  const map = readText(reader);
  const version = readText(reader);
  const password = readText(reader) === '1';
  const status: RawStatus = { name, map, version, password, players: readCount(reader), maxplayers: 0 };
  status.maxplayers = readCount(reader);
  if (/^\d{1,5}$/.test(port) && Number(port) <= 0xffff) status.connectPort = Number(port);
  while (readText(reader) !== '') readText(reader); // Skips the rules: keys and values up to an empty key.
  status.playerList = readPlayers(reader);
  return status;
}

function readPlayers(reader: ByteReader): RawPlayer[] {
  const players: RawPlayer[] = [];
  while (reader.remaining > 0) {
    if (players.length === MAX_PLAYERS) throw new MalformedReply(`more than ${MAX_PLAYERS} players`);
    const flags = reader.u8();
    if (flags & ~KNOWN) throw new MalformedReply(`a player with the unknown flags ${flags}`);
    const field = (flag: number) => (flags & flag ? readText(reader) : '');
    const player: RawPlayer = { name: field(NAME) };
    field(TEAM);
    field(SKIN);
    const score = field(SCORE);
    if (INTEGER.test(score)) player.score = Number(score);
    field(PING);
    const time = field(TIME);
    if (INTEGER.test(time)) player.time = Number(time);
    players.push(player);
  }
  return players;
}

function readCount(reader: ByteReader): number {
  const text = readText(reader);
  if (!/^\d{1,9}$/.test(text)) throw new MalformedReply(`a number that is ${JSON.stringify(text)}`);
  return Number(text);
}

/** Reads a length byte, then a string. The length includes the length byte itself. */
function readText(reader: ByteReader): string {
  const length = reader.u8();
  if (length === 0) throw new MalformedReply('a text without its length');
  return decodeText(reader.bytes(length - 1));
}

/** The protocol of All-Seeing Eye. Multi Theft Auto servers still use it. */
export const ase: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: () => new PingExchange(QUESTION, read),
};
