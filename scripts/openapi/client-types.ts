import { nameOfRef, type Schema } from './schema.ts';

/** Prefix of the names of the TypeScript types that are generated for the REST client, such as `RestErrorBody`. */
const PREFIX = 'Rest';

/**
 * Returns the source lines of TypeScript types for the JSON Schemas of the OpenAPI document. The descriptions of the
 * schemas become doc comments.
 */
export function clientTypes(schemas: Readonly<Record<string, Schema>>): string[] {
  return Object.entries(schemas).flatMap(([name, schema]) => [
    '',
    ...comment(schema.description, ''),
    ...(Object.keys(schema.properties ?? {}).length > 0 && !schema.additionalProperties
      ? [`export interface ${PREFIX}${name} ${typeOf(schema, '')}`]
      : [`export type ${PREFIX}${name} = ${typeOf(schema, '')};`]),
  ]);
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return PREFIX + nameOfRef(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(each => typeOf(each, indent)).join(' | ');
  if (schema.enum) return schema.enum.map(value => `'${value}'`).join(' | ');
  const types = [schema.type ?? 'null'].flat();
  return types.map(type => plainType(type, schema, indent)).join(' | ');
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array': {
      const items = typeOf(schema.items ?? {}, indent);
      return items.includes('|') ? `(${items})[]` : `${items}[]`;
    }
    case 'object':
      return objectType(schema, indent);
    default:
      return type;
  }
}

function objectType(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).flatMap(([name, schema]) => [
    ...comment(schema.description, inner),
    `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};`,
  ]);
  if (typeof additionalProperties === 'object') {
    const others = Object.values(properties).map(schema => typeOf(schema, inner));
    members.push(`${inner}[key: string]: ${[typeOf(additionalProperties, inner), ...others].join(' | ')};`);
  }
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('\n')}\n${indent}}`;
}

function comment(text: string | undefined, indent: string): string[] {
  if (text === undefined) return [];
  const room = 117 - indent.length;
  const line = `${indent}/** ${text} */`;
  if (line.length <= 110) return [line];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return [`${indent}/**`, ...lines.map(each => `${indent} * ${each}`), `${indent} */`];
}
