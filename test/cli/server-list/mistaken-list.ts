import { MAX_LINE_BYTES } from '../../../cli/server-list/line-splitter.ts';
import type { ListFormat } from '../../../cli/server-list/list-format.ts';

/** Number of mistakes (invalid lines) in each server list that `mistakenList` creates. */
export const MISTAKES = 37;

/** A server list with mistakes (invalid lines), and what an import of this list must report. */
export interface MistakenList {
  bytes: Buffer;
  /** Line number and reason of each mistake in the server list, in the order of the list. */
  mistakes: { line: number; reason: string }[];
  /**
   * Number of entries that an import of the list must report as read: all servers, repeated servers and invalid lines.
   */
  read: number;
  /** The tracked servers after an import of the list, in the order in which an export lists them. */
  tracked: { gameId: string; server: string }[];
}

type Pair = readonly [gameId: string, server: string];

/** Pairs of game and address that the parser of server lists accepts, but the core refuses. */
const REFUSED: readonly (readonly [reason: string, pair: Pair])[] = [
  ['unknown_game', ['nosuchgame', '127.0.0.1:27015']],
  ['malformed_address', ['csgo', '127.0.0.1']],
  ['malformed_address', ['csgo', '127.0.0.300:27015']],
  ['malformed_address', ['csgo', '127.0.0.1:99999']],
  ['malformed_address', ['csgo', '2001:db8::1:27015']],
  ['malformed_address', ['csgo', `${'x'.repeat(300)}:27015`]],
  ['blocked_address', ['csgo', '203.0.113.7:27015']],
  ['blocked_address', ['csgo', '[2001:db8::1]:27015']],
  ['blocked_address', ['csgo', '127.0.0.1:22']],
  ['unresolvable_host', ['csgo', 'gone.invalid:27015']],
];

/**
 * Invalid lines of a server list that the parser refuses, keyed by list format. The parser must still read all other
 * lines of the list.
 */
const BROKEN: Readonly<Record<ListFormat, readonly (readonly [reason: string, line: string])[]>> = {
  text: [
    ['missing_value', '127.0.0.1:27015'],
    ['malformed_line', 'csgo 127.0.0.1 27015'],
  ],
  csv: [
    ['missing_value', 'a note,csgo'],
    ['malformed_line', '"a note,csgo,127.0.0.1:27015'],
    ['malformed_line', '"a note"!,csgo,127.0.0.1:27015'],
  ],
  jsonl: [
    ['missing_value', '{"game_id":"csgo"}'],
    ['malformed_line', '{"game_id":"csgo","server":'],
    ['malformed_line', '["csgo","127.0.0.1:27015"]'],
  ],
};

const encode: Readonly<Record<ListFormat, (pair: Pair, i: number) => string>> = {
  text: ([gameId, server], i) => (i % 7 === 0 ? `\t${gameId}  ${server} # a note` : `${gameId} ${server}`),
  // In a CSV list, every seventh record contains a line break, and every fifth record has all fields in quotes.
  csv: ([gameId, server], i) => {
    if (i % 7 === 0) return `"a ""note"", in\r\ntwo lines",${gameId},${server}`;
    return i % 5 === 0 ? `"","${gameId}","${server}"` : `5" note,${gameId},${server},more`;
  },
  jsonl: ([game_id, server], i) =>
    JSON.stringify(i % 7 === 0 ? { players: [], server, game_id } : { game_id, server }),
};

const OPENING: Readonly<Record<ListFormat, string>> = {
  text: '\ufeff# servers\r\n\r\n',
  csv: '\ufeffnote,game_id,address\r\n',
  jsonl: '\r\n',
};

/**
 * Returns an invalid line (without line end), and the reason for its refusal. The number `i` selects the kind of
 * mistake.
 */
function mistake(format: ListFormat, i: number): readonly [reason: string, line: Buffer] {
  const broken = BROKEN[format];
  const kinds = REFUSED.length + broken.length + 2;
  const kind = i % kinds;
  const refused = REFUSED[kind];
  if (refused) return [refused[0], Buffer.from(encode[format](refused[1], 1))];
  const own = broken[kind - REFUSED.length];
  if (own) return [own[0], Buffer.from(own[1])];
  const line = Buffer.from(encode[format](['csgo', '127.0.0.1:27015'], 1));
  if (kind === kinds - 1) return ['bad_encoding', Buffer.concat([line, Buffer.of(0xe4)])];
  return ['line_too_long', Buffer.concat([line, Buffer.alloc(MAX_LINE_BYTES, ' ')])];
}

/**
 * Returns server `i`: as gsq tracks it (`pair`), and as the list writes it (`written`), for example in capital letters.
 */
function server(i: number): { pair: Pair; written: Pair } {
  const gameId = ['csgo', 'counterstrike2', 'minecraft'][i % 3] ?? '';
  const host = i % 11 === 0 ? `game-${i}.localhost` : `127.${1 + (i % 200)}.${i % 250}.${1 + (i % 9)}`;
  const address = `${host}:${20_000 + i}`;
  const isOther = i % 13 === 0;
  const written = isOther && gameId === 'counterstrike2' ? 'cs2' : gameId;
  return { pair: [gameId, address], written: [written, isOther ? address.toUpperCase() : address] };
}

/**
 * Creates a list of `servers` different servers. The list repeats some of these servers, and contains 37 invalid lines
 * of all kinds.
 */
export function mistakenList(format: ListFormat, servers: number): MistakenList {
  const parts: Buffer[] = [];
  const mistakes: MistakenList['mistakes'] = [];
  let line = 1;
  let read = 0;
  const add = (bytes: Buffer): void => {
    parts.push(bytes, Buffer.from('\r\n'));
    line += bytes.toString('latin1').split('\n').length;
    read++;
  };
  parts.push(Buffer.from(OPENING[format]));
  line += OPENING[format].split('\n').length - 1;
  const every = Math.floor(servers / MISTAKES);
  const pairs: Pair[] = [];
  for (let i = 0; i < servers; i++) {
    const { pair, written } = server(i);
    pairs.push(pair);
    add(Buffer.from(encode[format](written, i)));
    if (i % 100 === 99) add(Buffer.from(encode[format](pair, i)));
    if (i % every !== every - 1 || mistakes.length === MISTAKES) continue;
    const [reason, bytes] = mistake(format, mistakes.length);
    mistakes.push({ line, reason });
    add(bytes);
  }
  const keyOf = ([gameId, address]: Pair): string => `${gameId} ${address}`;
  const sorted = pairs.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const tracked = sorted.map(([gameId, address]) => ({ gameId, server: address }));
  return { bytes: Buffer.concat(parts), mistakes, read, tracked };
}
