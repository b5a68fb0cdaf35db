import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  getExtension,
  hasExtension,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** A REST route, declared by a `google.api.http` annotation in a proto file. */
export interface Route {
  /** Full name of the annotated method, such as `gsq.v1.GameService.ListGamesJson`. */
  rpc: string;
  /** HTTP method of the route in capital letters. */
  method: string;
  /**
   * Path of the route. A segment such as `{game_id}` is a variable: it sets the field `game_id` of the request message.
   */
  path: string;
  /**
   * True if the JSON body of an HTTP request becomes the gRPC request message (`body: "*"`). If false, the route
   * ignores the body.
   */
  hasBody: boolean;
  /** The RPC method whose annotation declares this route. */
  rpcMethod: DescMethod;
}

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * Reads the REST routes from the `google.api.http` annotations of a descriptor image (compiled proto files). Supports
 * only the HTTP methods in `VERBS`, variables that are a whole path segment, and no body or the body `*`. Throws an
 * Error for any other annotation.
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
      routes.push(...bindings(method, toJson(rule, value, { registry })));
    }
  }
  return routes;
}

/**
 * Returns each route with the handler that serves it. `handlers`: the handlers of some RPC methods, keyed by full
 * method name. `otherwise`: the handler of all other methods. Throws an Error if one of these other methods is not
 * unary or does not return google.api.HttpBody, or if a handler in `handlers` has no route.
 */
export function bindRoutes<Handler>(
  routes: readonly Route[],
  handlers: Readonly<Record<string, Handler>>,
  otherwise: Handler,
): { route: Route; handler: Handler }[] {
  for (const rpc of Object.keys(handlers)) {
    if (!routes.some(route => route.rpc === rpc)) {
      throw new Error(
        `${rpc} has a handler but no google.api.http annotation; add one and run npm run proto`,
      );
    }
  }
  return routes.map(route => {
    const handler = handlers[route.rpc] ?? otherwise;
    const { methodKind, output } = route.rpcMethod;
    if (handler === otherwise && (methodKind !== 'unary' || output.typeName !== 'google.api.HttpBody')) {
      throw new Error(
        `${route.rpc} is annotated with ${route.method} ${route.path} but has no handler; only a unary method that returns google.api.HttpBody needs none`,
      );
    }
    return { route, handler };
  });
}

function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`;
}

function bindings(rpcMethod: DescMethod, rule: JsonValue): Route[] {
  const rpc = nameOf(rpcMethod);
  if (!isObject(rule)) throw new Error(`${rpc}: its google.api.http annotation is empty`);
  const verb = VERBS.find(name => name in rule);
  const path = verb === undefined ? undefined : rule[verb];
  if (verb === undefined || typeof path !== 'string' || !/^(?:\/(?:[\w.-]+|\{\w+\}))+$/.test(path)) {
    throw new Error(
      `${rpc}: its google.api.http annotation must name one path of fixed segments and variables, such as get: "/v1/servers/{game_id}"`,
    );
  }
  const { body = '' } = rule;
  if (body !== '' && body !== '*')
    throw new Error(`${rpc}: the body in its google.api.http annotation must be "*" or absent`);
  for (const name of variablesIn(path)) {
    const field = rpcMethod.input.fields.find(each => each.name === name);
    if (field?.fieldKind !== 'scalar' || field.scalar !== ScalarType.STRING)
      throw new Error(`${rpc}: {${name}} in its path is not a string field of ${rpcMethod.input.typeName}`);
  }
  const more = rule.additionalBindings;
  return [
    { rpc, method: verb.toUpperCase(), path, hasBody: body === '*', rpcMethod },
    ...(Array.isArray(more) ? more.flatMap(binding => bindings(rpcMethod, binding)) : []),
  ];
}

/** Returns the names of the variables in the path of a route. */
export function variablesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
