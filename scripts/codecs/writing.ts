import type { DescMessage } from '@bufbuild/protobuf';
import { type Field, fieldsOf, numbersConstant, typeName } from './messages.ts';

/** Maximum number of bytes that UTF-8 needs for one UTF-16 code unit. */
const BYTES_A_UNIT = 3;
/** Maximum number of bytes of a varint, keyed by field type. A negative enum value needs ten bytes. */
const MOST_BYTES: Readonly<Record<string, number>> = { bool: 1, uint32: 5, int32: 10, uint64: 10, enum: 10 };
/** Maximum number of bytes of the length prefix that protobuf writes before a string. */
const LENGTH_BYTES = 5;

/** Returns the source of the function that encodes a message as a field of another message. */
export function writingSource(message: DescMessage): string {
  const fields = fieldsOf(message);
  const most = mostBytes(fields);
  const lines = [
    ...most.texts.map(({ name }) => `  const ${name} = message.${name} ?? '';`),
    `  const start = writer.openField(field${most.source});`,
    ...fields.map(field => writeSource(field, most.texts.includes(field))),
    '  writer.closeField(start);',
  ];
  return `/** Writes a ${message.typeName} as a field of another message. */
export function write${message.name}(writer: ByteWriter, field: number, message: ${inputName(message)}): void {
${lines.join('\n')}
}
`;
}

export function encodeSource(message: DescMessage): string {
  return `/** Writes a ${message.typeName}. */
export function encode${message.name}(message: ${inputName(message)}): Buffer {
  encoder.length = 0;
${fieldsOf(message)
  .map(field => writeSource(field, false).replaceAll('writer', 'encoder'))
  .join('\n')}
  return encoder.takeBytes();
}
`;
}

/**
 * Generates a TypeScript interface for the message that an encoder gets as its argument. Returns an empty string if the
 * encoder uses an interface that proto-loader has generated.
 */
export function inputSource(message: DescMessage): string {
  if (!hasOwnInput(message)) return '';
  const properties = fieldsOf(message).map(field => `  ${field.name}: ${inputType(field)};`);
  return `/** What a ${message.typeName} is written from. */
export interface ${inputName(message)} {
${properties.join('\n')}
}
`;
}

export function hasOwnInput(message: DescMessage): boolean {
  return fieldsOf(message).some(({ form }) => form.write === 'written');
}

export function inputName(message: DescMessage): string {
  return hasOwnInput(message) ? `Outgoing${typeName(message)}` : `${message.name}Input`;
}

/** Returns the message type of a field, if this type needs a generated encoder. Otherwise returns undefined. */
export function writtenWithin({ kind, form, message }: Field): DescMessage | undefined {
  return kind === 'message' && form.write === undefined ? message : undefined;
}

function inputType({ kind, form, message }: Field): string {
  if (form.write === 'written') return 'ByteWriter | null';
  if (message) return `${inputName(message)} | null`;
  return { bool: 'boolean', string: 'string', bytes: 'Uint8Array' }[kind as string] ?? 'number';
}

/**
 * Generates the second argument of an `openField` call: the maximum size of an encoded message, in bytes. `source`:
 * code of the argument; empty if the size has no limit. `texts`: the string fields whose lengths the code uses.
 */
function mostBytes(fields: readonly Field[]): { source: string; texts: readonly Field[] } {
  const texts = fields.filter(({ kind }) => kind === 'string');
  if (fields.length === 0) return { source: ', 0', texts };
  if (fields.some(({ kind, repeated }) => repeated || kind === 'message' || kind === 'bytes'))
    return { source: '', texts: [] };
  const bytes = fields.map(({ number, kind }) => (number < 16 ? 1 : 2) + (MOST_BYTES[kind] ?? LENGTH_BYTES));
  const sum = bytes.reduce((all, each) => all + each, 0);
  const lengths = texts.map(({ name }) => ` + ${name}.length * ${BYTES_A_UNIT}`);
  return { source: `, ${sum}${lengths.join('')}`, texts };
}

function writeSource(field: Field, isLocal: boolean): string {
  const { number, name, repeated, kind, form, message, enumeration } = field;
  const value = isLocal ? name : `message.${name}`;
  if (form.write === 'written') return `  if (${value}) writer.messageField(${number}, ${value});`;
  if (form.write === 'payload') {
    return `  if (${value}) {
    const ${name}Start = writer.openField(${number});
    writePayload(writer, ${value});
    writer.closeField(${name}Start);
  }`;
  }
  if (message) {
    const written = `write${message.name}(writer, ${number},`;
    return repeated
      ? `  for (const each of ${value} ?? []) ${written} each);`
      : `  if (${value}) ${written} ${value});`;
  }
  if (repeated && kind === 'string')
    return `  for (const each of ${value} ?? []) writer.textElement(${number}, each);`;
  if (repeated) return `  if (${value}) writer.packedField(${number}, ${value});`;
  if (enumeration)
    return `  writer.uintField(${number}, ${numbersConstant(enumeration)}.get(${value}) ?? 0);`;
  if (kind === 'string') return `  writer.textField(${number}, ${isLocal ? value : `${value} ?? ''`});`;
  if (kind === 'bytes') return `  writer.bytesField(${number}, ${value});`;
  if (kind === 'bool') return `  writer.uintField(${number}, ${value} ? 1 : 0);`;
  if (kind === 'uint64') return `  writer.uintField(${number}, Number(${value} ?? 0));`;
  return `  writer.${kind === 'int32' ? 'intField' : 'uintField'}(${number}, ${value} ?? 0);`;
}
