// The status query of Minecraft Bedrock, which is the unconnected ping of the network library RakNet:
// https://minecraft.wiki/w/RakNet#Unconnected_Ping

import type { RawStatus } from '../answers/raw-status.ts';
import { decodeText } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

const UNCONNECTED_PING = 0x01;
const UNCONNECTED_PONG = 0x1c;
const MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
const EDITIONS = new Set(['MCPE', 'MCEE']);

// Offsets of the fields in a pong, bytes. The fields are: type, number from the ping, GUID of the server, magic bytes,
// length of the text, and text.
const AT_NUMBER = 1;
const AT_MAGIC = AT_NUMBER + 8 + 8;
const AT_LENGTH = AT_MAGIC + MAGIC.length;
const AT_TEXT = AT_LENGTH + 2;

function read(datagram: Buffer, nonce: bigint): Step {
  if (datagram[0] !== UNCONNECTED_PONG) throw new MalformedReply('no unconnected pong');
  if (datagram.length < AT_TEXT) throw new MalformedReply(`cut short at byte ${datagram.length}`);
  if (!datagram.subarray(AT_MAGIC, AT_LENGTH).equals(MAGIC)) throw new MalformedReply('not RakNet: no magic');
  // Ignores late replies to an earlier ping, and forged replies: they do not repeat the random number of this ping.
  if (datagram.readBigUInt64BE(AT_NUMBER) !== nonce) return MORE;
  const text = datagram.subarray(AT_TEXT);
  const length = datagram.readUInt16BE(AT_LENGTH);
  if (length !== text.length)
    throw new MalformedReply(`${text.length} bytes of text, announced as ${length}`);
  return { kind: 'done', status: parseAdvertisement(decodeText(text)) };
}

/**
 * Parses the text of a pong: `MCPE;name;protocol;version;players;maxplayers;guid;level;…`. A semicolon inside a
 * field is escaped as `\;`.
 */
function parseAdvertisement(text: string): RawStatus {
  const fields = text.split(/(?<!\\);/).map(field => field.replaceAll('\\;', ';'));
  const [edition = '', name = '', , version = '', players, maxplayers, , map = ''] = fields;
  if (!EDITIONS.has(edition))
    throw new MalformedReply(`of the unknown edition ${JSON.stringify(edition.slice(0, 20))}`);
  return {
    name,
    map,
    version,
    players: count(players, 'players'),
    maxplayers: count(maxplayers, 'maxplayers'),
  };
}

function count(field: string | undefined, what: string): number {
  // Accepts negative numbers, because proxies without a player limit send -1 as the number of player slots.
  if (field === undefined || !/^-?\d{1,10}$/.test(field)) throw new MalformedReply(`no number of ${what}`);
  return Number(field);
}

/** The protocol of Minecraft Bedrock Edition and Minecraft Education. */
export const bedrock: Protocol = {
  transport: 'udp',
  colours: 'section',
  open: context => {
    const nonce = BigInt.asUintN(64, context.nonce);
    const ping = Buffer.alloc(AT_NUMBER + 8 + MAGIC.length + 8); // The last eight bytes, the client's GUID, stay zero.
    ping.writeUInt8(UNCONNECTED_PING, 0);
    ping.writeBigUInt64BE(nonce, AT_NUMBER);
    MAGIC.copy(ping, AT_NUMBER + 8);
    return new PingExchange(ping, datagram => read(datagram, nonce));
  },
};
