import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  getExtension,
  hasExtension,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** A REST route, declared by a `google.api.http` annotation in a proto file. */
export interface Route {
  /** Full name of the annotated method, such as `gsq.v1.GameService.ListGamesJson`. */
  rpc: string;
  /** HTTP method in capital letters. */
  method: string;
  path: string;
}

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * Reads the REST routes from the `google.api.http` annotations of a descriptor image (google/api/http.proto). Only
 * fixed paths with the verbs get, put, post, delete and patch are supported. Throws an Error with the method name if an
 * annotation uses anything else.
 */
export function readRoutes(image: Uint8Array): Route[] {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const annotation = registry.getExtension('google.api.http');
  if (!annotation) throw new Error('the descriptor image does not hold google/api/annotations.proto');
  const { message: rule } = annotation;
  if (!rule) throw new Error('google.api.http is not a message in the descriptor image');

  const routes: Route[] = [];
  for (const type of registry) {
    if (type.kind !== 'service') continue;
    for (const method of type.methods) {
      const options = method.proto.options;
      if (!options || !hasExtension(options, annotation)) continue;
      const value = getExtension(options, annotation) as Message;
      routes.push(...bindings(nameOf(method), toJson(rule, value, { registry })));
    }
  }
  return routes;
}

/**
 * Returns each route with the handler of its RPC method. Throws an Error if a route has no handler, or if a handler has
 * no route.
 */
export function bindRoutes<Handler>(
  routes: readonly Route[],
  handlers: Readonly<Record<string, Handler>>,
): { route: Route; handler: Handler }[] {
  for (const rpc of Object.keys(handlers)) {
    if (!routes.some(route => route.rpc === rpc)) {
      throw new Error(
        `${rpc} has a handler but no google.api.http annotation; add one and run npm run proto`,
      );
    }
  }
  return routes.map(route => {
    const handler = handlers[route.rpc];
    if (handler === undefined) {
      throw new Error(`${route.rpc} is annotated with ${route.method} ${route.path} but has no handler`);
    }
    return { route, handler };
  });
}

function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`;
}

function bindings(rpc: string, rule: JsonValue): Route[] {
  if (!isObject(rule)) throw new Error(`${rpc}: its google.api.http annotation is empty`);
  const verb = VERBS.find(name => name in rule);
  const path = verb === undefined ? undefined : rule[verb];
  if (verb === undefined || typeof path !== 'string' || !/^(?:\/(?:[\w.-]+|\{\w+\}))+$/.test(path)) {
    throw new Error(
      `${rpc}: its google.api.http annotation must name one fixed path, such as get: "/v1/get/games"`,
    );
  }
  const more = rule.additionalBindings;
  return [
    { rpc, method: verb.toUpperCase(), path },
    ...(Array.isArray(more) ? more.flatMap(binding => bindings(rpc, binding)) : []),
  ];
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
