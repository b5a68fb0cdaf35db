// The status query of Mindustry. Source: `writeServerData` in core/src/mindustry/net/NetworkIO.java of
// https://github.com/Anuken/Mindustry

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/**
 * The request, two bytes. The first byte (-2) marks a message of the game's networking library. The second byte (1) is
 * the message type for a query of the server status.
 */
const QUESTION = Buffer.from([0xfe, 1]);

/**
 * Matches a colour such as `[scarlet]` or `[#ff0000]`, and `[]`, which restores the previous colour. Other words in
 * brackets are normal text.
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
/** Matches icons of the game. They are private-use characters, which only the fonts of the game can display. */
const ICONS = /\p{Co}/gu;

function read(datagram: Buffer): Step {
  // Ignores messages of the game's networking library (first byte -2). They are for players and contain no status.
  if (datagram[0] === QUESTION[0]) return MORE;
  const reader = new ByteReader(datagram);
  const name = text(reader);
  const map = text(reader);
  const players = count(reader, 'players');
  reader.skip(4); // unused field: number of the wave
  const build = reader.u32be();
  text(reader); // unused field: type of the build
  reader.skip(1); // unused field: game mode
  const maxplayers = count(reader, 'places');
  text(reader); // unused field: description. Later versions append more fields, which are not read.
  const status: RawStatus = { name, map, players };
  // A player limit of 0 means that the server has no limit. The status then contains no number of player slots.
  if (maxplayers > 0) status.maxplayers = maxplayers;
  // Custom builds have the build number -1, which `u32be` returns as 0xffffffff. Their version is left out.
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
