import { type PayloadField, payloadFields, payloadTable, playerFields } from '../../proto/payload-fields.ts';

function fieldOf(row: (typeof payloadTable)[number]): PayloadField {
  const field = 'copyOf' in row ? payloadFields.find(({ name }) => name === row.copyOf) : row;
  if (!field) throw new Error(`"${row.json}" repeats a field that is not in the table`);
  return field;
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
