// The launcher protocol of Zandronum. Sources: https://wiki.zandronum.com/Launcher_protocol and
// `SERVER_MASTER_SendServerInfo` in src/sv_master.cpp of Zandronum

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';
import { decode, encode } from './zandronum-huffman.ts';

const LAUNCHER_CHALLENGE = 199;
const ACCEPTED = 5_660_023;
const IGNORED = 5_660_024;
const BANNED = 5_660_025;
/**
 * After a query, a server ignores further queries from the same address for this time, ms. The value is the default of
 * the server setting `sv_queryignoretime`.
 */
const IGNORE_MS = 10_000;

/**
 * Bits that identify the fields of a status. The request and the reply contain a mask of these bits. The reply contains
 * its fields in the order of the bits, lowest first.
 */
const NAME = 0x1;
const MAP = 0x8;
const MAX_CLIENTS = 0x10;
const GAME_TYPE = 0x80;
const PASSWORD = 0x400;
const PLAYER_COUNT = 0x80000;
const PLAYERS = 0x100000;
const NEEDED = NAME | MAX_CLIENTS | GAME_TYPE | PLAYER_COUNT;
const WANTED = NEEDED | MAP | PASSWORD | PLAYERS;

/** Ids of the game modes of Zandronum in which each player has a team, such as team deathmatch and domination. */
const TEAM_MODES = new Set([4, 8, 10, 11, 12, 13, 14, 15]);

/**
 * Matches a colour code: `\c` or the engine's control character 0x1c, then a letter or a colour name in brackets.
 */
const COLOUR = new RegExp(`(?:${String.fromCharCode(0x1c)}|\\\\c)(?:\\[[^\\]]{0,32}\\]|.)?`, 'gs');

function read(datagram: Buffer, number: number): Step {
  const reader = new ByteReader(decode(datagram));
  const response = reader.u32();
  if (response !== ACCEPTED && response !== IGNORED && response !== BANNED)
    throw new MalformedReply(`${response} in place of an answer`);
  // Ignores a reply that does not repeat the number in the request: it answers an earlier request, or is forged.
  if (reader.u32() !== number) return MORE;
  if (response === IGNORED)
    throw new UnknowableError('paced', 'the server was asked a moment ago', IGNORE_MS);
  if (response === BANNED) throw new UnknowableError('directory-refused', 'the server bans us');
  const version = reader.cstring();
  const told = reader.u32();
  // `told` is a bit mask that names the fields in the reply. gsq rejects a reply in which a needed field is missing. It
  // also rejects a reply with a field that gsq did not request, because it cannot read the format of this field.
  if ((told & ~WANTED) !== 0 || (told & NEEDED) !== NEEDED)
    throw new MalformedReply(`0x${told.toString(16)} is told`);
  return { kind: 'done', status: { ...parseFacts(reader, told), version } };
}

function parseFacts(reader: ByteReader, told: number): RawStatus {
  const name = text(reader);
  const map = (told & MAP) === 0 ? '' : text(reader);
  const maxplayers = reader.u8();
  const mode = reader.u8();
  reader.skip(2); // unused fields: instagib flag, buckshot flag
  const password = (told & PASSWORD) !== 0 && reader.u8() !== 0;
  const players = reader.u8();
  const status: RawStatus = { name, map, players, maxplayers, password };
  if ((told & PLAYERS) !== 0) Object.assign(status, parsePlayers(reader, players, TEAM_MODES.has(mode)));
  reader.end();
  return status;
}

function parsePlayers(
  reader: ByteReader,
  players: number,
  haveTeams: boolean,
): Pick<RawStatus, 'playerList' | 'numbots'> {
  const playerList: RawPlayer[] = [];
  let numbots = 0;
  for (let left = players; left > 0; left--) {
    const name = text(reader);
    const score = (reader.u16() << 16) >> 16;
    reader.skip(2 + 1); // unused fields: ping, spectator flag
    if (reader.u8() !== 0) numbots++;
    if (haveTeams) reader.skip(1);
    playerList.push({ name, score, time: reader.u8() * 60 });
  }
  return { playerList, numbots };
}

function text(reader: ByteReader): string {
  return reader.cstring().replace(COLOUR, '');
}

/** The protocol of Zandronum and Skulltag. */
export const zandronum: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ nonce }) => {
    const number = Number(nonce & 0xffff_ffffn);
    const question = Buffer.alloc(12);
    question.writeUInt32LE(LAUNCHER_CHALLENGE, 0);
    question.writeUInt32LE(WANTED, 4);
    question.writeUInt32LE(number, 8);
    return new PingExchange(encode(question), datagram => read(datagram, number));
  },
};
