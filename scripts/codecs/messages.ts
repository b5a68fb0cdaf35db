import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { type FieldForm, fieldForms, typeNames } from './plan.ts';

/** The protobuf types that the generated codecs support. */
export type Kind = 'uint32' | 'int32' | 'uint64' | 'bool' | 'string' | 'bytes' | 'enum' | 'message';

/** Description of one message field. The code generator generates the code of the field from this description. */
export interface Field {
  readonly kind: Kind;
  readonly number: number;
  /**
   * Name of the field's property in the types of proto-loader. The generated encoder expects objects of these types.
   */
  readonly name: string;
  /** Name of the field's property in the decoded message. */
  readonly property: string;
  readonly form: FieldForm;
  readonly repeated: boolean;
  readonly message: DescMessage | undefined;
  readonly enumeration: DescEnum | undefined;
  /**
   * Property names of the other fields in the same protobuf oneof. Empty if the field is in no oneof. The codecs
   * support a oneof only if all its fields contain messages.
   */
  readonly rivals: readonly string[];
}

const SCALARS: ReadonlyMap<ScalarType, Kind> = new Map([
  [ScalarType.UINT32, 'uint32'],
  [ScalarType.INT32, 'int32'],
  [ScalarType.UINT64, 'uint64'],
  [ScalarType.BOOL, 'bool'],
  [ScalarType.STRING, 'string'],
  [ScalarType.BYTES, 'bytes'],
]);

/** Returns the fields of a message. Throws if the codecs do not support a field's type. */
export function fieldsOf(message: DescMessage): Field[] {
  return message.fields.map(fieldOf);
}

function fieldOf(field: DescField): Field {
  const name = `${field.parent.typeName}.${field.name}`;
  const kind = kindOf(field);
  const repeated = field.fieldKind === 'list';
  const form = fieldForms[name] ?? {};
  const isKnown = kind !== undefined && (!repeated || ['uint32', 'string', 'message'].includes(kind));
  const isPlain = !field.proto.proto3Optional && (!field.oneof || kind === 'message');
  // Throws for types that the codecs do not support. ServerPayload is not checked here, because `writePayload` and
  // `ReportedPayload` handle it.
  if (!isKnown || !isPlain) throw new Error(`${name}: the codecs have no fields of this type; add it`);
  return {
    kind,
    number: field.number,
    name: field.localName,
    property: propertyOf(field),
    form,
    repeated,
    message: field.message,
    enumeration: field.enum,
    rivals: (field.oneof?.fields ?? []).filter(other => other !== field).map(propertyOf),
  };
}

function propertyOf(field: DescField): string {
  return fieldForms[`${field.parent.typeName}.${field.name}`]?.property ?? field.localName;
}

function kindOf(field: DescField): Kind | undefined {
  if (field.message) return field.fieldKind === 'map' ? undefined : 'message';
  if (field.enum) return 'enum';
  return SCALARS.get(field.scalar ?? ScalarType.DOUBLE);
}

/**
 * Returns the name of the generated type of a message. The names of the generated functions that create and read the
 * message contain this type name.
 */
export function typeName(message: DescMessage): string {
  return typeNames[message.typeName] ?? message.name;
}

/**
 * Returns the message types `roots` and all message types inside them, without duplicates. Inner types come first.
 * `inner`: returns the message type of a field, or undefined to skip the field.
 */
export function closure(
  roots: readonly DescMessage[],
  inner: (field: Field) => DescMessage | undefined,
): DescMessage[] {
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (found.has(message)) return;
    for (const field of fieldsOf(message)) {
      const within = inner(field);
      if (within) visit(within);
    }
    found.add(message);
  };
  roots.forEach(visit);
  return [...found];
}

/** Returns the name of the generated constant that maps each number of an enum to its value name. */
export function namesConstant({ name }: DescEnum): string {
  return `${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_NAMES`;
}

/** Returns the name of the generated constant that maps each value name of an enum to its number. */
export function numbersConstant(enumeration: DescEnum): string {
  return namesConstant(enumeration).replace(/NAMES$/, 'NUMBERS');
}

/**
 * Returns the value names of an enum, in the order of their numbers. Throws if the numbers are not 0, 1, 2 and so on.
 */
export function enumNames(enumeration: DescEnum): string[] {
  return enumeration.values.map(({ name, number }, index) => {
    if (number !== index) throw new Error(`${enumeration.typeName}: the codecs need numbers without gaps`);
    return name;
  });
}
