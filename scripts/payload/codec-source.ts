import { type PayloadField, playerFields, propertyOf, storedFields } from '../../proto/payload-fields.ts';

const LEN = 2;
const VARINT = 0;

/** Returns the tag of a payload field: the bytes with which the encoded field begins. */
function tagBytes({ number, type }: PayloadField): number[] {
  const tag = number * 8 + (type === 'string' || type === 'players' ? LEN : VARINT);
  return tag < 0x80 ? [tag] : [(tag & 0x7f) | 0x80, tag >> 7];
}

/**
 * Generates a boolean expression for the `if` and `while` statements of the decoder. The expression is true if the
 * encoded field `field` begins at the offset `at` of the message.
 */
function comesNext(field: PayloadField): string {
  const [first, second] = tagBytes(field);
  const also = second === undefined ? '' : ` && bytes[at + 1] === ${second}`;
  return `at < end && bytes[at] === ${first}${also}`;
}

/**
 * Returns the properties in which the generated decoder stores a field: the name and the default value of each
 * property. The default value is source code. A string has two properties: its start and its end.
 */
function properties(field: PayloadField): [name: string, absent: string][] {
  const property = propertyOf(field);
  if (field.type === 'string' || field.type === 'players')
    return [
      [`${property}Start`, '0'],
      [`${property}End`, '0'],
    ];
  if (field.type === 'bool') return [[property, 'false']];
  return [[property, field.optional ? '-1' : '0']];
}

/**
 * Generates the statements that decode one field. If the field begins at the offset `at`, the statements decode it, and
 * move `at` to the end of the field. If not, the field is absent.
 */
function readLines(field: PayloadField): string[] {
  const property = propertyOf(field);
  const next = comesNext(field);
  const behindTag = `at + ${tagBytes(field).length}`;
  switch (field.type) {
    case 'string':
      return [
        `this.${property}Start = at;`,
        `this.${property}End = at;`,
        `if (${next}) {`,
        `  this.${property}Start = this.length(bytes, ${behindTag}, end);`,
        `  at = this.value > 0 ? this.${property}Start + this.value : BROKEN;`,
        `  this.${property}End = at;`,
        '}',
      ];
    case 'players':
      return [
        `this.${property}Start = at;`,
        'this.playerCount = 0;',
        `while (${next}) {`,
        `  at = this.length(bytes, ${behindTag}, end) + this.value;`,
        '  this.playerCount++;',
        '}',
        `this.${property}End = at;`,
      ];
    case 'bool':
      return [
        `this.${property} = ${next};`,
        `if (this.${property}) {`,
        `  at = this.number(bytes, ${behindTag}, end);`,
        '  if (this.value !== 1) at = BROKEN;',
        '}',
      ];
    default:
      return [
        `this.${property} = ${field.optional ? -1 : 0};`,
        `if (${next}) {`,
        `  at = this.number(bytes, ${behindTag}, end);`,
        `  this.${property} = this.low${field.type === 'uint32' ? ' >>> 0' : ''};`,
        `  if (${field.optional ? '' : 'this.value === 0 || '}${field.type === 'uint32' ? 'this.value > 0xffffffff' : 'this.isWide()'}) at = BROKEN;`,
        '}',
      ];
  }
}

/**
 * Returns the payload fields that are ignored when two replies of a server are compared. Throws if their field numbers
 * are not adjacent, because the generated code skips these fields as one range of bytes.
 */
function volatileFields(fields: readonly PayloadField[]): readonly PayloadField[] {
  const found = fields.filter(field => field.volatile);
  const first = found[0] ? fields.indexOf(found[0]) : 0;
  if (found.some((field, i) => fields[first + i] !== field))
    throw new Error('volatile fields of a payload must have neighbouring numbers');
  return found;
}

/**
 * Generates the TypeScript source of a class that decodes a protobuf message. In the encoded message, the fields must
 * be sorted by field number.
 */
function readerClass(name: string, message: string, fields: readonly PayloadField[]): string[] {
  const changing = volatileFields(fields);
  const texts = fields.filter(({ type }) => type === 'string').map(propertyOf);
  const hasList = fields.some(({ type }) => type === 'players');
  const reads = fields.flatMap(field => [
    ...(field === changing[0] ? ['this.volatileStart = at;'] : []),
    ...readLines(field),
    ...(field === changing.at(-1) ? ['this.volatileEnd = at;'] : []),
  ]);
  return [
    '/**',
    ` * Decodes a ${message} in canonical form (see ReportedPayload) without creating objects. For each string,`,
    ' * stores only its start and its end in the buffer. An optional number is -1 if the message lacks it.',
    ' */',
    `export class ${name} extends FieldReader {`,
    ...fields.flatMap(properties).map(([property, absent]) => `  ${property} = ${absent};`),
    ...(hasList ? ['  playerCount = 0;'] : []),
    ...(changing.length > 0
      ? [
          `  /** Byte range of the fields that can change with each probe: ${changing.map(each => each.name).join(', ')}. */`,
        ]
      : []),
    ...(changing.length > 0 ? ['  volatileStart = 0;', '  volatileEnd = 0;'] : []),
    '',
    '  /**',
    '   * Reads the message from `start` to `end`. Returns false if the message is not in canonical form, or has fields that this',
    '   * release does not know.',
    '   */',
    '  read(bytes: Buffer, start: number, end: number): boolean {',
    '    let at = start;',
    ...reads.map(line => `    ${line}`),
    '    return at === end;',
    '  }',
    '',
    '  /** Returns true if all strings of the most recent message (see `read`) are valid UTF-8. */',
    '  hasValidText(bytes: Buffer, view: DataView): boolean {',
    `    return ${texts.map(text => `isUtf8Text(bytes, view, this.${text}Start, this.${text}End)`).join(' &&\n      ')};`,
    '  }',
    '}',
  ];
}

/**
 * Returns the maximum encoded size of a protobuf field, in bytes. For a string, this is only the size of the tag and
 * the length, without the characters.
 */
function mostBytes({ type }: PayloadField): number {
  return type === 'string' ? 5 : type === 'int32' ? 11 : 6;
}

function writeLine(field: PayloadField): string {
  const property = propertyOf(field);
  const value = `message.${property}`;
  const { number } = field;
  switch (field.type) {
    case 'string':
      return `out.textField(${number}, ${value} ?? '');`;
    case 'bool':
      return `out.uintField(${number}, ${value} ? 1 : 0);`;
    case 'players':
      return `for (const player of ${value} ?? []) writePlayer(out, ${number}, player);`;
    case 'int32':
      return `out.intField(${number}, ${value} ?? 0);`;
    default:
      return field.optional
        ? `if (${value} !== undefined) out.optionalUintField(${number}, ${value});`
        : `out.uintField(${number}, ${value} ?? 0);`;
  }
}

function writers(): string[] {
  const texts = playerFields.filter(({ type }) => type === 'string').map(propertyOf);
  const fixed = playerFields.reduce((sum, field) => sum + mostBytes(field), 0);
  const characters = texts.map(text => `(message.${text}?.length ?? 0)`).join(' + ');
  return [
    '/** Encodes a payload in canonical form: the form in which probers report payloads and the core stores them. */',
    'export function writePayload(out: ByteWriter, message: ServerPayload): void {',
    ...storedFields.map(field => `  ${writeLine(field)}`),
    '}',
    '',
    'function writePlayer(out: ByteWriter, field: number, message: Player): void {',
    '  // Maximum size of an encoded player: three bytes for each UTF-16 unit of a string, and a constant for the rest.',
    `  const start = out.openField(field, ${fixed} + 3 * ${texts.length > 1 ? `(${characters})` : characters});`,
    ...playerFields.map(field => `  ${writeLine(field)}`),
    '  out.closeField(start);',
    '}',
  ];
}

function playerTag(): number {
  const list = storedFields.find(({ type }) => type === 'players');
  return list ? tagBytes(list).length : 0;
}

/** Returns the source of proto/codec/payload.generated.ts. */
export function codecSource(): string {
  return [
    "import type { Player } from '../generated/gsq/v1/Player.ts';",
    "import type { ServerPayload } from '../generated/gsq/v1/ServerPayload.ts';",
    "import type { ByteWriter } from './byte-writer.ts';",
    "import { BROKEN, FieldReader } from './field-reader.ts';",
    "import { isUtf8Text } from './utf8-text.ts';",
    '',
    '/** Size of the protobuf tag with which each player in an encoded payload begins, in bytes. */',
    `export const PLAYER_TAG = ${playerTag()};`,
    '',
    ...readerClass('PayloadReader', 'gsq.v1.ServerPayload', storedFields),
    '',
    ...readerClass('PlayerReader', 'gsq.v1.Player', playerFields),
    '',
    ...writers(),
    '',
  ].join('\n');
}
