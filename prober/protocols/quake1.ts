// The status query of QuakeWorld. Source: `SVC_Status` in QW/server/sv_main.c of https://github.com/id-Software/Quake.
// HexenWorld has the same query with one more byte before each message. Source: engine/hexenworld/server/sv_main.c of
// https://github.com/sezero/uhexen2

import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';
import { parseStatus, type QuakeDialect } from './quake-status.ts';

const QUAKEWORLD = Buffer.from('\xff\xff\xff\xff', 'latin1');
const HEXENWORLD = Buffer.from('\xff\xff\xff\xff\xff', 'latin1');
/** Type byte of a status reply: A2C_PRINT, the type of all messages that contain text. */
const A2C_PRINT = 0x6e;
const BACKSLASH = 0x5c;

/** Matches a player line `userid frags minutes ping "name" "skin" topcolor bottomcolor`. Some games append the team. */
const PLAYER_LINE =
  /^-?\d{1,10} +(-?\d{1,10}) +(-?\d{1,10}) +(-?\d{1,10}) +"(.*?)" +"[^"]*"(?: +-?\d+| +"[^"]*")*$/s;

const DIALECT: QuakeDialect = {
  keys: {
    name: ['hostname'],
    map: ['map', 'mapname'],
    maxplayers: ['maxclients', 'sv_maxclients'],
    password: ['needpass'],
    version: ['*version', 'version'],
  },
  // Bit 0 of `needpass` means that players need a password. Bit 1 means that spectators need a password, and is
  // ignored.
  needsPassword: value => (Number(value) & 1) === 1,
  readPlayer: line => {
    const [, score, minutes, ping, name] = PLAYER_LINE.exec(line) ?? [];
    if (name === undefined) return undefined;
    return { player: { name, score: Number(score), time: Number(minutes) * 60 }, ping: Number(ping) };
  },
  decode: decodeCharset,
};

/**
 * Readable replacements for the character codes 0 to 31. In Quake's font these codes are golden digits, golden
 * brackets, an arrow and dots. The codes 128 to 255 are the characters 0 to 127 in brown.
 */
const LOW_CHARACTERS = `\0.....\x06\x07\x08\x09 \x0b >..[]0123456789.<=>`;

/**
 * Decodes a string in Quake's own character set. Only the low byte of each character counts, because the DarkPlaces
 * engine has the same characters at U+E000 to U+E0FF of Unicode.
 */
export function decodeCharset(latin1: string): string {
  let text = '';
  for (let i = 0; i < latin1.length; i++) {
    const lower = latin1.charCodeAt(i) & 0x7f;
    text += lower < 0x20 ? (LOW_CHARACTERS[lower] ?? '') : String.fromCharCode(lower);
  }
  return text;
}

function read(datagram: Buffer, prefix: Buffer): Step {
  const start = datagram.subarray(0, prefix.length);
  if (!start.equals(prefix)) throw new MalformedReply('no message of this game');
  if (datagram[prefix.length] === undefined)
    throw new MalformedReply('cut short: a message without its type');
  const body = datagram.subarray(prefix.length + 1);
  if (datagram[prefix.length] !== A2C_PRINT) return MORE;
  if (body.length === 0) throw new MalformedReply('cut short: no status');
  return body[0] === BACKSLASH ? { kind: 'done', status: parseStatus(body, DIALECT).status } : MORE;
}

function ask(prefix: Buffer): Protocol {
  const status = Buffer.concat([prefix, Buffer.from('status\n')]);
  return {
    transport: 'udp',
    colours: 'none',
    open: () => new PingExchange(status, datagram => read(datagram, prefix)),
  };
}

/** The protocol of QuakeWorld servers such as MVDSV and FTE. NetQuake, the original Quake, has a different protocol. */
export const quake1: Protocol = ask(QUAKEWORLD);

/** The protocol of HexenWorld, the internet version of Hexen II. */
export const hexen2: Protocol = ask(HEXENWORLD);
