import { createFileRegistry, fromBinary, ScalarType } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorImage } from '../../proto/descriptors.ts';
import type { PayloadField } from '../../proto/payload-fields.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorImage));

const SCALARS: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: 'string',
  [ScalarType.UINT32]: 'uint32',
  [ScalarType.INT32]: 'int32',
  [ScalarType.BOOL]: 'bool',
};
const MESSAGES: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'time',
  'gsq.v1.Player': 'players',
};

/**
 * Returns the fields of a message of the package gsq.v1 as its .proto file declares them. Each field is one line, such
 * as `optional uint32 players = 3`.
 */
function declaredFields(message: string): string[] {
  const described = registry.getMessage(`gsq.v1.${message}`);
  if (!described) throw new Error(`no message ${message} in proto/gsq.binpb`);
  return described.fields.map(field => {
    const { name, number, proto } = field;
    const own = field.message ? MESSAGES[field.message.typeName] : undefined;
    const type = own ?? (field.scalar && SCALARS[field.scalar]) ?? 'a type no payload has';
    return line(name, number, type, proto.proto3Optional);
  });
}

function line(name: string, number: number, type: string, optional: boolean): string {
  return `${optional ? 'optional ' : ''}${type} ${name} = ${number}`;
}

/**
 * Returns the differences between the table of payload fields and the .proto file for one message. Each difference is
 * one line.
 */
export function differences(message: string, table: readonly PayloadField[]): string[] {
  const inTable = table.map(({ name, number, type, optional = false }) => line(name, number, type, optional));
  const inFile = declaredFields(message);
  return [
    ...inTable.filter(one => !inFile.includes(one)).map(one => `only in the table: ${message}: ${one}`),
    ...inFile.filter(one => !inTable.includes(one)).map(one => `only in server.proto: ${message}: ${one}`),
  ];
}
