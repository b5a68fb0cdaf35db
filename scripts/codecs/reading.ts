import type { DescMessage } from '@bufbuild/protobuf';
import { type Field, fieldsOf, namesConstant, typeName } from './messages.ts';

const VARINT = 0;
const LEN = 2;

/**
 * Returns TypeScript source for decoding a message: the type of the decoded message, a function that creates an empty
 * one, and a function that decodes into it.
 */
export function readingSource(message: DescMessage): string {
  const fields = fieldsOf(message);
  const name = typeName(message);
  const inPlace = fields.some(({ form }) => form.read === 'offsets');
  const properties = fields.map(field => `  ${field.property}: ${typeOf(field)};`);
  const defaults = fields.map(field => `${field.property}: ${defaultOf(field)}`);
  if (inPlace) {
    properties.push('  /** The buffer that the offsets refer to. */\n  bytes: Buffer;');
    defaults.push('bytes');
  }
  const parameter = inPlace ? 'bytes: Buffer' : '';
  return `/** ${message.typeName} as it is read. */
export interface ${name} {
${properties.join('\n')}
}

function new${name}(${parameter}): ${name} {
  return { ${defaults.join(', ')} };
}

${functionSource(name, fields)}`;
}

function functionSource(name: string, fields: readonly Field[]): string {
  const reported = fields.find(({ form }) => form.read === 'reported');
  const inPlace = fields.some(({ form }) => form.read === 'offsets');
  const before = [
    ...(reported ? ['  const { start, end } = reader;\n  let parts = 0;\n'] : []),
    // The generated code first checks whether the whole message is ASCII. If it is, the code need not check each string
    // for valid UTF-8. This saves 11 ns per server address.
    ...(inPlace ? ['  const isAscii = reader.isAscii();\n'] : []),
  ].join('');
  const after = reported
    ? `  if (parts > 1) message.${reported.property} = new ReportedPayload(joinedFields(reader.bytes, start, end, ${tagOf(reported)}));\n`
    : '';
  const cases =
    fields.length > 0
      ? ` {\n    switch (reader.tag) {\n${fields.map(caseSource).join('\n')}\n    }\n  }`
      : ';';
  return `/** Reads the message in the current field into \`message\`: repeated fields are added, others replaced. */
function read${name}(reader: WireReader, message: ${name}): ${name} {
${before}  const outerEnd = reader.enter();
  while (reader.next())${cases}
  reader.leave(outerEnd);
${after}  return message;
}
`;
}

/** Returns the tag of an unpacked field: the field number times eight, plus the wire type. */
function tagOf({ number, kind }: Field): number {
  return number * 8 + (['string', 'bytes', 'message'].includes(kind) ? LEN : VARINT);
}

export function decodeSource(message: DescMessage): string {
  const name = typeName(message);
  return `/** Reads a ${message.typeName}. Throws WireError. */
export function decode${message.name}(bytes: Buffer): ${name} {
  return read${name}(new WireReader(bytes), new${name}());
}
`;
}

/** Returns the message type of a field, if this type needs a generated decoder. Otherwise returns undefined. */
export function readWithin({ kind, form, message }: Field): DescMessage | undefined {
  return kind === 'message' && form.read !== 'reported' ? message : undefined;
}

function typeOf({ kind, form, repeated, message, enumeration }: Field): string {
  if (form.read === 'offsets') return 'number[]';
  if (form.read === 'base64url') return 'string';
  if (form.read === 'reported') return 'ReportedPayload | null';
  if (message) return repeated ? `${typeName(message)}[]` : `${typeName(message)} | null`;
  if (enumeration) return `${enumeration.name}__Output`;
  const single = { bool: 'boolean', string: 'string', bytes: 'Buffer' }[kind as string] ?? 'number';
  return repeated ? `${single}[]` : single;
}

function defaultOf({ kind, form, repeated, enumeration }: Field): string {
  if (repeated) return '[]';
  if (form.read === 'base64url') return `''`;
  if (enumeration) return `'${enumeration.values[0]?.name}'`;
  return { bool: 'false', string: `''`, bytes: 'NO_BYTES', message: 'null' }[kind as string] ?? '0';
}

function caseSource(field: Field): string {
  const { number, property, repeated, kind, rivals } = field;
  const clear = rivals.map(rival => `        message.${rival} = null;\n`).join('');
  const label = (tag: number) => `      case ${tag}: // field ${number}\n`;
  if (repeated && kind === 'uint32') {
    // Generates code that accepts repeated numbers in packed and in unpacked form, as protobuf requires of every
    // decoder.
    return `${label(number * 8 + LEN)}        reader.readPacked(message.${property});
        break;
${label(number * 8 + VARINT)}        message.${property}.push(reader.uint32);
        break;`;
  }
  return `${label(tagOf(field))}${clear}${readSource(field)}        break;`;
}

function readSource(field: Field): string {
  const { property, repeated, form, message, enumeration } = field;
  const target = `message.${property}`;
  if (form.read === 'offsets') {
    return `        if (!isAscii) reader.refuseBadText();\n        ${target}.push(reader.start, reader.end);\n`;
  }
  if (form.read === 'reported') {
    return `        if (++parts === 1) ${target} = new ReportedPayload(reader);\n`;
  }
  if (message) {
    const name = typeName(message);
    const isInPlace = fieldsOf(message).some(inner => inner.form.read === 'offsets');
    const made = `new${name}(${isInPlace ? 'reader.bytes' : ''})`;
    return repeated
      ? `        ${target}.push(read${name}(reader, ${made}));\n`
      : `        ${target} = read${name}(reader, ${target} ?? ${made});\n`;
  }
  const value = enumeration
    ? `${namesConstant(enumeration)}[reader.int32] ?? '${enumeration.values[0]?.name}'`
    : valueSource(field);
  return repeated ? `        ${target}.push(${value});\n` : `        ${target} = ${value};\n`;
}

function valueSource({ kind, form }: Field): string {
  if (form.read === 'interned') return 'reader.internedText(interner)';
  if (form.read === 'base64url') return `reader.bytes.toString('base64url', reader.start, reader.end)`;
  if (kind === 'string') return 'reader.text()';
  if (kind === 'bytes') return 'reader.bytes.subarray(reader.start, reader.end)';
  if (kind === 'bool') return 'reader.value !== 0';
  return kind === 'uint64' ? 'reader.value' : `reader.${kind}`;
}
