import { create, type DescField, toBinary } from '@bufbuild/protobuf';
import { type FieldViolation, ServiceError } from '../../proto/service-error.ts';
import type { Target } from '../http/exchange.ts';
import { parseJson } from '../http/json-text.ts';
import { type Route, variablesIn } from '../http/routes.ts';
import { fromObject, fromTexts, isParameter, MAX_VIOLATIONS } from './field-values.ts';

/** Builds the encoded request messages for the RPC method that one REST route calls. */
export class RequestMessages {
  readonly #route: Route;
  /** The message fields that query parameters can set, keyed by field name. */
  readonly #parameters: ReadonlyMap<string, DescField>;
  readonly #variables: ReadonlySet<string>;

  constructor(route: Route) {
    this.#route = route;
    const variables = new Set(variablesIn(route.path));
    this.#variables = variables;
    const fields = route.hasBody ? [] : route.rpcMethod.input.fields;
    this.#parameters = new Map(
      fields
        .filter(field => !variables.has(field.name) && isParameter(field))
        .map(field => [field.name, field]),
    );
  }

  /**
   * Returns the encoded request message for the target (path and query) of a REST request. Each parameter sets the
   * message field of the same name. `more`: further values of text fields, keyed by field name. They replace values of
   * the query. Throws QUERY_1 if parameters of the query are wrong. The error lists at most 20 of them.
   */
  fromTarget(target: Target, more: Readonly<Record<string, string>> = {}): Uint8Array {
    const values = this.#fromQuery(target.query);
    for (const [name, value] of Object.entries(more)) values[this.#localName(name)] = value;
    return this.#encode(values, target);
  }

  /**
   * Returns the encoded request message for the path and the JSON body of a request. The body contains the fields that
   * are not in the path, and can be empty. Throws QUERY_1 if there is a query, and POST_2 if the body is wrong.
   */
  fromBody(target: Target, bytes: Buffer): Uint8Array {
    this.#fromQuery(target.query);
    const { input } = this.#route.rpcMethod;
    const names = input.fields.filter(field => this.#isInBody(field)).map(({ name }) => name);
    const body =
      bytes.length === 0 ? {} : parseJson(bytes, `a JSON object with ${names.join(', ') || 'no keys'}`);
    const violations: FieldViolation[] = [];
    const values = fromObject(input, body, '', violations, field => this.#isInBody(field));
    const [first] = violations;
    if (first) {
      const where = first.path === '' ? 'it' : first.path;
      throw new ServiceError('POST_2', `The body is not valid: ${where} ${first.message}.`, { violations });
    }
    return this.#encode(values, target);
  }

  #isInBody({ name }: DescField): boolean {
    return !this.#variables.has(name);
  }

  #fromQuery(query: URLSearchParams): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    const violations: FieldViolation[] = [];
    for (const name of new Set(query.keys())) {
      if (violations.length >= MAX_VIOLATIONS) break;
      const field = this.#parameters.get(name);
      if (field) values[field.localName] = fromTexts(field, query.getAll(name), violations);
      else
        violations.push({
          path: name.slice(0, 64),
          message: `is no parameter of this path; ${this.#known()}`,
        });
    }
    const [first] = violations;
    if (!first) return values;
    const name = first.path === '' ? 'A parameter without a name' : first.path;
    throw new ServiceError('QUERY_1', `The query is not valid: ${name} ${first.message}.`, { violations });
  }

  #known(): string {
    const names = [...this.#parameters.keys()];
    return names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  }

  #encode(values: Record<string, unknown>, { variables }: Target): Uint8Array {
    const { input } = this.#route.rpcMethod;
    for (const name of this.#variables) values[this.#localName(name)] = variables[name] ?? '';
    return toBinary(input, create(input, values));
  }

  #localName(name: string): string {
    const field = this.#route.rpcMethod.input.fields.find(each => each.name === name);
    if (!field) throw new Error(`${this.#route.rpc} has no field ${name}`);
    return field.localName;
  }
}
