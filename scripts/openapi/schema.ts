/** A JSON Schema (draft 2020-12) with the keywords that the OpenAPI document of the REST API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

const SCHEMAS = '#/components/schemas/';

/** Returns the JSON Schema that refers to the OpenAPI component with this name. */
export function refTo(name: string): Schema {
  return { $ref: SCHEMAS + name };
}

/** Returns the name of the OpenAPI component to which a reference points. */
export function nameOfRef(ref: string): string {
  return ref.slice(SCHEMAS.length);
}

/** Returns the JSON Schema of an object. All properties are required except those in `optional`. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
  description?: string,
): Schema {
  const required = Object.keys(properties).filter(name => !optional.includes(name));
  return { type: 'object', ...(description !== undefined && { description }), properties, required };
}

/** Returns the JSON Schema of an array. `items` is the schema of its elements. */
export function listOf(items: Schema, description?: string): Schema {
  return { type: 'array', ...(description !== undefined && { description }), items };
}

/** Returns the JSON Schema of a time such as `2026-11-24T18:00:00.000Z`. */
export function time(description?: string): Schema {
  return { type: 'string', format: 'date-time', ...(description !== undefined && { description }) };
}

/** Returns the JSON Schema of the time of an event. The value is null if the event has not happened. */
export function timeOrNull(description?: string): Schema {
  return { ...time(description), type: ['string', 'null'] };
}
