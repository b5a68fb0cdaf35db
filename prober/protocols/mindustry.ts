// Mindustry's ping: `writeServerData` in core/src/mindustry/net/NetworkIO.java of https://github.com/Anuken/Mindustry

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/** A message of the framework's own (-2): who is there (1)? */
const QUESTION = Buffer.from([0xfe, 1]);

/** `[scarlet]`, `[#ff0000]`, `[]` for the colour before; other words in brackets are no colours. */
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
/** The game's icons, which no other font has. */
const ICONS = /\p{Co}/gu;

function read(datagram: Buffer): Step {
  // What is sent to players, not to those who ask.
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
  // Without a limit.
  if (maxplayers > 0) status.maxplayers = maxplayers;
  // Builds of one's own have -1.
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

/** Mindustry since version 6. */
export const mindustry: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: () => new PingExchange(QUESTION, read),
};
