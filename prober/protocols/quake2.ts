// The status query of Quake 2. Source: `SVC_Status` and `SV_StatusString` in server/sv_main.c of
// https://github.com/id-Software/Quake-2

import { decodeLatin1 } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';
import { parseStatus, type QuakeDialect } from './quake-status.ts';

const STATUS = Buffer.from('\xff\xff\xff\xffstatus\n', 'latin1');
const PRINT = Buffer.from('\xff\xff\xff\xffprint\n', 'latin1');
const BACKSLASH = 0x5c;

/** Matches a player line `score ping "name"`. The game Alien Arena appends address and team. */
const PLAYER_LINE = /^(-?\d{1,10}) +(-?\d{1,10}) +"(.*?)"(?: +-?\d+| +"[^"]*")*$/s;

const DIALECT: QuakeDialect = {
  keys: {
    name: ['hostname', 'sv_hostname'],
    map: ['mapname'],
    maxplayers: ['maxclients', 'sv_maxclients'],
    password: ['needpass', 'g_needpass'],
    version: ['version'],
  },
  // Bit 0 of `needpass` means that players need a password. Bit 1 means that spectators need a password, and is
  // ignored.
  needsPassword: value => (Number(value) & 1) === 1,
  readPlayer: line => {
    const [, score, ping, name] = PLAYER_LINE.exec(line) ?? [];
    return name === undefined ? undefined : { player: { name, score: Number(score) }, ping: Number(ping) };
  },
  decode: decodeLatin1,
};

function read(datagram: Buffer): Step {
  const isPrint = datagram.subarray(0, PRINT.length).equals(PRINT);
  const isCut = PRINT.subarray(0, datagram.length).equals(datagram);
  if (!isPrint || isCut) {
    if (datagram.length > 4 && datagram.readInt32LE(0) === -1 && !isCut) return MORE;
    throw new MalformedReply('no status');
  }
  const body = datagram.subarray(PRINT.length);
  // Ignores a text that is not a status. Quake 2 servers also send other texts in `print` messages.
  if (body[0] !== BACKSLASH) return MORE;
  return { kind: 'done', status: parseStatus(body, DIALECT).status };
}

/** The protocol of Quake 2, Alien Arena and Daikatana. */
export const quake2: Protocol = {
  transport: 'udp',
  colours: 'caret', // Alien Arena uses colour codes such as `^1`. Quake 2 itself has no colours.
  open: () => new PingExchange(STATUS, read),
};
