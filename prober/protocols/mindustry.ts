// Mindustry's ping: `writeServerData` in core/src/mindustry/net/NetworkIO.java of https://github.com/Anuken/Mindustry

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/** The question: a message of the network framework (-2) that asks who is there (1). */
const QUESTION = Buffer.from([0xfe, 1]);

/**
 * Matches colours: `[scarlet]`, `[#ff0000]`, and `[]` for the previous one. Other words in brackets are text.
 */
const COLOUR = new RegExp(
  `\\[(?:#[\\da-f]{1,8}|${[
    ...[
      'clear',
      'black',
      'white',
      'light_?gray',
      'gray',
      'dark_?gray',
      'blue',
      'navy',
      'royal',
      'slate',
      'sky',
    ],
    ...['cyan', 'teal', 'green', 'acid', 'lime', 'forest', 'olive', 'yellow', 'gold', 'goldenrod', 'orange'],
    ...['brown', 'tan', 'brick', 'red', 'scarlet', 'coral', 'salmon', 'pink', 'magenta', 'purple', 'violet'],
    ...['maroon', 'accent', 'unlaunched', 'highlight', 'stat'],
  ].join('|')})?\\]`,
  'gi',
);
/** Matches the game's icons, which exist in no other font. */
const ICONS = /\p{Co}/gu;

function read(datagram: Buffer): Step {
  // Ignores framework messages, which are meant for players.
  if (datagram[0] === QUESTION[0]) return MORE;
  const reader = new ByteReader(datagram);
  const name = text(reader);
  const map = text(reader);
  const players = count(reader, 'players');
  reader.skip(4); // the wave
  const build = reader.u32be();
  text(reader); // who built it
  reader.skip(1); // mode
  const maxplayers = count(reader, 'places');
  text(reader); // the description; what later versions tell is behind it
  const status: RawStatus = { name, map, players };
  // 0 slots means no limit.
  if (maxplayers > 0) status.maxplayers = maxplayers;
  // Custom builds send -1 as their build number.
  if (build <= 0x7fff_ffff) status.version = String(build);
  return { kind: 'done', status };
}

function text(reader: ByteReader): string {
  const written = decodeText(reader.bytes(reader.u8()));
  return written.replace(COLOUR, '').replace(ICONS, '');
}

function count(reader: ByteReader, what: string): number {
  const value = reader.u32be();
  if (value > 0x7fff_ffff) throw new MalformedReply(`a negative number of ${what}`);
  return value;
}

/** The protocol of Mindustry since version 6. */
export const mindustry: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: () => new PingExchange(QUESTION, read),
};
