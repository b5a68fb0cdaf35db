import { type PayloadField, propertyOf, storedFields } from '../../proto/payload-fields.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  players: 'Player[]',
};

function typeOf({ type }: PayloadField): string {
  return TYPES[type] ?? 'number';
}

/**
 * Generates the expression that computes one payload field. Its input is the status that a protocol parser has read
 * from a server's replies.
 */
function cleaned(field: PayloadField): string {
  const property = propertyOf(field);
  if (field.source === 'probe') return property;
  if (field.type === 'string') return `cleanText(raw.${property} ?? '', colours, ${field.max})`;
  if (field.type === 'bool') return `raw.${property} ?? false`;
  return `whole(raw.${property}, ${field.min ?? 0}, ${field.max})`;
}

/** Returns the source of prober/answers/status-fields.generated.ts. */
export function normaliserSource(): string {
  const made = storedFields.filter(({ source }) => source === 'probe');
  const optional = storedFields.filter(field => field.optional);
  return [
    "import type { Player } from '../../proto/generated/gsq/v1/Player.ts';",
    "import { cleanText, isCount, whole } from './clean-values.ts';",
    "import type { ColourCodes, RawStatus } from './raw-status.ts';",
    '',
    '/** A payload in the form in which the prober reports it. A count that the server does not report is absent. */',
    'export interface NormalisedPayload {',
    ...storedFields.map(field => `  ${propertyOf(field)}${field.optional ? '?' : ''}: ${typeOf(field)};`),
    '}',
    '',
    '/**',
    ' * Builds a payload from the status that a parser read, and from the fields that the prober adds itself. Strings are cleaned,',
    ' * and all values are within the limits of the table in proto/payload-fields.ts.',
    ' */',
    'export function payloadOf(',
    '  raw: RawStatus,',
    '  colours: ColourCodes,',
    ...made.map(field => `  ${propertyOf(field)}: ${typeOf(field)},`),
    '): NormalisedPayload {',
    '  const payload: NormalisedPayload = {',
    ...storedFields.map(field => {
      const value = cleaned(field);
      return value === propertyOf(field) ? `    ${value},` : `    ${propertyOf(field)}: ${value},`;
    }),
    '  };',
    '  // Creates the object with all counts, and then deletes the counts that the server does not report. Nearly all servers',
    '  // report all counts. If the counts were added one after the other, V8 would make slower objects for these servers.',
    ...optional.map(
      field => `  if (!isCount(raw.${propertyOf(field)})) delete payload.${propertyOf(field)};`,
    ),
    '  return payload;',
    '}',
    '',
  ].join('\n');
}
