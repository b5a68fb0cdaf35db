import {
  type PayloadField,
  payloadFields,
  payloadTable,
  playerFields,
  propertyOf,
} from '../../proto/payload-fields.ts';

/** Maximum number of bytes that a number or a time stamp takes in the JSON of a payload. */
const NUMBER_ROOM = 24;
/**
 * Number of bytes that the generated code reserves after each constant string. `writePiece` writes whole groups of four
 * bytes, so it can write up to three zero bytes after the string.
 */
const SLACK = 4;

/**
 * Collects the constant parts of the JSON that the generated code writes, such as keys and braces. Equal parts share
 * one constant. `bytes`: number of bytes to reserve for all these parts and for the numbers in the JSON.
 */
class Pieces {
  readonly #names = new Map<string, string>();
  bytes = 0;

  name(text: string): string {
    this.bytes += Buffer.byteLength(text) + SLACK;
    let name = this.#names.get(text);
    if (name === undefined) {
      const word = text.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'END';
      name = [...this.#names.values()].includes(`P_${word.toUpperCase()}`)
        ? `P_${word.toUpperCase()}_${this.#names.size}`
        : `P_${word.toUpperCase()}`;
      this.#names.set(text, name);
    }
    return name;
  }

  lines(): string[] {
    return [...this.#names].map(([text, name]) => `const ${name} = new Piece(${JSON.stringify(text)});`);
  }
}

/**
 * Generates the statements that write the value of one field as JSON. The generated code reads the value from the
 * object named `from`.
 */
function valueLines(field: PayloadField, from: string): string[] {
  const property = `${from}.${propertyOf(field)}`;
  const text = `at = writeJsonBytes(bytes, view, at, server.bytes, server.view, ${property}Start, ${property}End);`;
  switch (field.type) {
    case 'string':
      if (!field.emptyMeansAddress) return [text];
      return [
        `if (${property}Start === ${property}End)`,
        '  at = writeJsonBytes(bytes, view, at, server.addressBytes, server.addressView, server.addressStart, server.addressEnd);',
        `else ${text}`,
      ];
    case 'bool':
      return [`at = writePiece(view, at, ${property} ? TRUE : FALSE);`];
    case 'time':
      return ['at = writeSqlTime(bytes, at, server.lastOnlineAt);'];
    case 'players':
      return ['at = writePlayers(bytes, view, at, server);'];
    default:
      return [`at = writeNumber(bytes, at, ${property});`];
  }
}

/**
 * Generates the statements that write a payload as JSON. Also returns `room`: the maximum size of this JSON in bytes,
 * without its strings and its player list. The generated code must reserve this space.
 */
function bodyLines(pieces: Pieces): { lines: string[]; room: number } {
  const lines: string[] = [];
  let open = '';
  let lead = '{';
  for (const row of payloadTable) {
    const field = 'copyOf' in row ? payloadFields.find(each => each.name === row.copyOf) : row;
    if (!field) throw new Error(`"${row.json}" repeats a field that is not in the table`);
    const path = row.json.split('.');
    const inside = path.length > 1 ? (path[0] ?? '') : '';
    if (inside !== open) {
      if (open !== '') lead = `}${lead}`;
      if (inside !== '') lead += `"${inside}":{`;
      open = inside;
    }
    const key = pieces.name(`${lead}"${path.at(-1)}":`);
    pieces.bytes += NUMBER_ROOM;
    const value = [`at = writePiece(view, at, ${key});`, ...valueLines(field, 'payload')];
    if (field.optional)
      lines.push(`if (payload.${propertyOf(field)} >= 0) {`, ...value.map(line => `  ${line}`), '}');
    else lines.push(...value);
    lead = ',';
  }
  if (open !== '') lines.push(`at = writePiece(view, at, ${pieces.name('}')});`);
  return { lines, room: pieces.bytes };
}

/**
 * Generates the function that writes the player list as JSON. Also returns `room`: the number of bytes to reserve for
 * each player, in addition to the bytes for the player's strings.
 */
function playerLines(pieces: Pieces): { lines: string[]; room: number } {
  const before = pieces.bytes;
  const body = playerFields.flatMap((field, i) => {
    const key = pieces.name(`${i === 0 ? '{' : ','}"${field.json}":`);
    pieces.bytes += NUMBER_ROOM;
    return [`at = writePiece(view, at, ${key});`, ...valueLines(field, 'player')];
  });
  const lines = [
    'function writePlayers(bytes: Buffer, view: DataView, start: number, server: ServerView): number {',
    '  let at = start;',
    '  bytes[at++] = OPEN_LIST;',
    '  let from = payload.playerListStart;',
    '  for (let left = payload.playerCount; left > 0; left--) {',
    '    from = player.length(server.bytes, from + PLAYER_TAG, payload.playerListEnd);',
    '    const end = from + player.value;',
    '    player.read(server.bytes, from, end);',
    '    from = end;',
    ...body.map(line => `    ${line}`),
    '    bytes[at++] = CLOSE;',
    '    if (left > 1) bytes[at++] = COMMA;',
    '  }',
    '  bytes[at++] = CLOSE_LIST;',
    '  return at;',
    '}',
  ];
  return { lines, room: pieces.bytes - before + SLACK };
}

/** Returns the source code of core/render/payload-json.generated.ts. */
export function jsonSource(): string {
  const pieces = new Pieces();
  const body = bodyLines(pieces);
  const players = playerLines(pieces);
  return [
    "import type { ByteWriter } from '../../proto/codec/byte-writer.ts';",
    "import { PayloadReader, PLAYER_TAG, PlayerReader } from '../../proto/codec/payload.generated.ts';",
    "import type { ServerView } from '../servers/server-view.ts';",
    "import { writeSqlTime } from './iso-time.ts';",
    "import { jsonTextRoom, Piece, writeJsonBytes, writeNumber, writePiece } from './json-text.ts';",
    '',
    ...pieces.lines(),
    "const TRUE = new Piece('true');",
    "const FALSE = new Piece('false');",
    'const CLOSE = 0x7d;',
    'const COMMA = 0x2c;',
    'const OPEN_LIST = 0x5b;',
    'const CLOSE_LIST = 0x5d;',
    '/** Maximum size of the JSON data of a server, without its text values and without its players, bytes. */',
    `const FIXED_ROOM = ${body.room + 2 * SLACK};`,
    '/** Maximum size of one player in the JSON data of a server, bytes. The name of the player is not counted. */',
    `const PLAYER_ROOM = ${players.room};`,
    '',
    'const payload = new PayloadReader();',
    'const player = new PlayerReader();',
    '',
    '/**',
    ' * Appends the data of a server as a JSON object without its closing brace, because the caller appends `_updater`. An',
    ' * optional number that the server did not report, such as `players`, has no key.',
    ' */',
    'export function writeData(out: ByteWriter, server: ServerView): void {',
    '  // No key of the payload may be `server`, `address`, `host`, `ip`, `ip_port`, `status` or `online`, not even in',
    '  // `raw`. Existing clients would read it instead of the address and the status in `_updater` (CONTRACT).',
    '  payload.read(server.bytes, server.dataStart, server.dataEnd);',
    '  const textBytes = server.dataEnd - server.dataStart + server.addressEnd - server.addressStart;',
    '  const bytes = out.room(FIXED_ROOM + PLAYER_ROOM * payload.playerCount + jsonTextRoom(textBytes));',
    '  const { view } = out;',
    '  let at = out.length;',
    ...body.lines.map(line => `  ${line}`),
    '  out.length = at;',
    '}',
    '',
    ...players.lines,
    '',
  ].join('\n');
}
