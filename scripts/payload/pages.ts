import { type PayloadField, payloadFields, payloadTable, playerFields } from '../../proto/payload-fields.ts';

const CLIENT_TYPES: Readonly<Record<string, string>> = { string: 'string', bool: 'boolean', time: 'string' };

function clientType({ type }: PayloadField): string {
  if (type !== 'players') return CLIENT_TYPES[type] ?? 'number';
  return `{ ${playerFields.map(field => `${field.json}: ${clientType(field)}`).join('; ')} }[]`;
}

function fieldOf(row: (typeof payloadTable)[number]): PayloadField {
  const field = 'copyOf' in row ? payloadFields.find(({ name }) => name === row.copyOf) : row;
  if (!field) throw new Error(`"${row.json}" repeats a field that is not in the table`);
  return field;
}

/**
 * Generates the members of the TypeScript interface RestPayload, with doc comments, as source lines. There is one
 * member for each payload field.
 */
export function clientFields(): string[] {
  const lines: string[] = [];
  const inside = new Map<string, string[]>();
  for (const row of payloadTable) {
    const field = fieldOf(row);
    const [first = '', second] = row.json.split('.');
    const member = `${second ?? first}${field.optional ? '?' : ''}: ${clientType(field)}`;
    if (second === undefined) {
      const form = field.type === 'time' ? ', as `YYYY-MM-DD HH:MM:SS`' : '';
      const absent = field.optional ? '; absent if the server does not report it' : '';
      lines.push(`  /** ${capital(row.about)}${form}${absent}. */`, `  ${member};`);
    } else inside.set(first, [...(inside.get(first) ?? []), member]);
  }
  for (const [key, members] of inside) lines.push(`  ${key}: { ${members.join('; ')} };`);
  return lines;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const REST_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  time: '`YYYY-MM-DD HH:MM:SS`',
  players: 'array of objects',
};
const GRPC_TYPES: Readonly<Record<string, string>> = {
  time: '`google.protobuf.Timestamp`',
  players: '`repeated Player`',
};

function limit(field: PayloadField): string {
  switch (field.type) {
    case 'string':
      return `${field.max} characters`;
    case 'players':
      return `${field.max} entries`;
    case 'uint32':
    case 'int32':
      return `${field.min ?? 0} to ${field.max}`;
    default:
      return '';
  }
}

function rowOf(key: string, type: string, field: PayloadField, about: string): string {
  const absent = field.optional ? '; absent if the server does not report it' : '';
  return `| \`${key}\` | ${type} | ${limit(field)} | ${about}${absent} |`;
}

/** Returns the lines of the field table in docs/rest.md or docs/grpc.md. */
export function docsTable(api: 'rest' | 'grpc'): string[] {
  if (api === 'rest') {
    const rows = payloadTable.map(row => {
      const field = fieldOf(row);
      return rowOf(row.json, REST_TYPES[field.type] ?? 'integer', field, row.about);
    });
    return ['| key | type | limit | what it is |', '|---|---|---|---|', ...rows];
  }
  const rowsOf = (fields: readonly PayloadField[], prefix: string): string[] =>
    fields.map(field => {
      const type = GRPC_TYPES[field.type] ?? `\`${field.optional ? 'optional ' : ''}${field.type}\``;
      return rowOf(prefix + field.name, type, field, field.about);
    });
  return [
    '| field | type | limit | what it is |',
    '|---|---|---|---|',
    ...rowsOf(payloadFields, ''),
    ...rowsOf(playerFields, 'player_list.'),
  ];
}
