import { readFileSync } from 'node:fs';
import type { Schema } from '../../../scripts/openapi/schema.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Described {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

/** The committed OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation of the OpenAPI document, with its example request. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Path and query of the example request. */
  readonly target: string;
  /** Body of the example request, as JSON text; undefined if the operation has no body. */
  readonly body: string | undefined;
  readonly needsToken: boolean;
  /** Media type and schema of the successful answer to the operation. */
  readonly mediaType: string;
  readonly answer: Schema;
}

export function readDocument(): Document {
  return JSON.parse(readFileSync(new URL('../../../gateway/docs/openapi.json', import.meta.url), 'utf8'));
}

/**
 * Returns all operations of an OpenAPI document. `replace`: texts in the examples, such as addresses, and the texts
 * that replace them.
 */
export function operationsOf(document: Document, replace: ReadonlyMap<string, string>): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const [mediaType, content] = Object.entries(described.responses['200']?.content ?? {})[0] ?? [];
      if (mediaType === undefined || !content) throw new Error(`${method} ${path} has no answer`);
      const body = described.requestBody?.content['application/json']?.example;
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        target: targetOf(path, described.parameters, replace),
        body: body === undefined ? undefined : replaced(JSON.stringify(body), replace),
        needsToken: described.security.every(requirement => 'token' in requirement),
        mediaType,
        answer: content.schema,
      };
    }),
  );
}

function targetOf(
  path: string,
  parameters: readonly Parameter[],
  replace: ReadonlyMap<string, string>,
): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    const values = [example].flat().map(value => replaced(String(value), replace));
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(values.join()));
    else for (const value of values) query.append(name, value);
  }
  if (filled.includes('{')) throw new Error(`${path} has a variable without an example`);
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function replaced(text: string, replace: ReadonlyMap<string, string>): string {
  return [...replace].reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

/** Returns an OpenAPI schema in a form that allows only the properties that the schema names. */
export function strict(schema: Schema): Schema {
  const copy = JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
  return copy;
}
