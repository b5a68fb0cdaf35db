import type { DescMethod } from '@bufbuild/protobuf';
import { type Route, readRoutes, variablesIn } from '../../gateway/http/routes.ts';
import { isParameter } from '../../gateway/json/field-values.ts';
import { descriptorImage } from '../../proto/descriptors.ts';
import { commentOfField, commentOfMethod } from './comments.ts';
import { givenSchemas } from './given-schemas.ts';
import { MessageSchemas, parameterSchema } from './message-schemas.ts';
import {
  type Access,
  type PlainOperation,
  pathExamples,
  plainOperations,
  type RpcOperation,
  rpcOperations,
} from './operations.ts';
import { refTo, type Schema } from './schema.ts';

/**
 * Security requirements of an operation, keyed by kind of access. The empty object means that no credentials are
 * needed.
 */
const token = { token: [], token_type: [], token_email: [] };
const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  anybody: [{}],
  token: [token],
  page: [{}, token],
};

const TAGS: Readonly<Record<string, string>> = {
  GameService: 'Games',
  ServerService: 'Servers',
  HistoryService: 'History',
  WebhookService: 'Webhooks',
};

const INFO = [
  'What is happening on these game servers right now?',
  'The status of game servers, by game and address. A request for a server that is not known yet makes the service track it.',
  'Paths without credentials work if the operator shows the tracked servers to everybody (`GSQ_PAGE=on`).',
].join(' ');

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Makes the OpenAPI 3.1 document of the REST API from `google.api.http` annotations. Throws an Error if an annotated
 * method has no entry in `rpcOperations`.
 */
export function openApiDocument(version: string): OpenApi {
  const schemas = new MessageSchemas(givenSchemas());
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (path: string, method: string, operation: unknown): void => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const route of readRoutes(descriptorImage))
    add(route.path, route.method, rpcOperation(route, schemas));
  for (const operation of plainOperations) add(operation.path, 'get', plainOperation(operation));
  return {
    openapi: '3.1.1',
    info: { title: 'gsq', version, description: INFO, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [...Object.values(TAGS), 'Embeds'].map(name => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        token: header('X-API-Token', 'The token, such as `gsq_…`.'),
        token_type: header('X-API-Token-Type', 'The tier of the token: `FREE` or `PRO`.'),
        token_email: header('X-API-Token-Email', 'The e-mail address of the token.'),
      },
      schemas: Object.fromEntries(Object.entries(schemas.components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  } as OpenApi;
}

function header(name: string, description: string): object {
  return { type: 'apiKey', in: 'header', name, description };
}

function rpcOperation(route: Route, schemas: MessageSchemas): object {
  const { rpc, rpcMethod } = route;
  const own = rpcOperations[rpc];
  if (!own) throw new Error(`${rpc} is missing in scripts/openapi/operations.ts`);
  const typed = typedMethod(rpcMethod);
  const schema = own.answer ?? schemas.answer(typed.output);
  return {
    operationId: typed.localName,
    tags: [TAGS[rpcMethod.parent.name] ?? rpcMethod.parent.name],
    summary: own.summary,
    description: commentOfMethod(typed),
    security: SECURITY[own.access],
    parameters: [...parametersOf(route, own), ...(rpc.endsWith('.FetchServersJson') ? [PREFER] : [])],
    ...(own.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemas.request(rpcMethod.input, own.body.required, own.body.hidden),
            example: own.body.example,
          },
        },
      },
    }),
    responses: responses(own.mediaType ?? 'application/json', schema),
  };
}

/**
 * The header that makes a fetch wait for the first probe of new servers. In gRPC, the field `wait_ms` does the same.
 */
const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`wait=N`: wait up to N seconds, at most 5, for the first probe of the servers that the request inserts.',
  schema: { type: 'string', pattern: '^wait=\\d+$' },
};

/**
 * Finds the RPC method that returns the same data as a JSON method, but as protobuf. For example, `GetServer` for
 * `GetServerJson`.
 */
function typedMethod(method: DescMethod): DescMethod {
  const name = method.name.replace(/Json$/, '');
  const typed = method.parent.methods.find(each => each.name === name);
  if (!typed) throw new Error(`${method.parent.typeName} has no method ${name}`);
  return typed;
}

function parametersOf(route: Route, { parameters = {} }: RpcOperation): object[] {
  const variables = variablesIn(route.path);
  const fields = route.rpcMethod.input.fields.filter(
    field => variables.includes(field.name) || (!route.hasBody && isParameter(field)),
  );
  return fields.map(field => {
    const inPath = variables.includes(field.name);
    const example = parameters[field.name];
    return {
      name: field.name,
      in: inPath ? 'path' : 'query',
      required: inPath,
      description: commentOfField(field) || 'Id of the webhook.',
      schema: parameterSchema(field),
      ...(example !== undefined && { example }),
    };
  });
}

function plainOperation({ path, id, summary, query, mediaType, answer }: PlainOperation): object {
  const inPath = variablesIn(path).map(name => ({
    name,
    in: 'path',
    required: true,
    description: name === 'server' ? 'Address, `<host_or_ip>:<port>`.' : 'Id or alias of a game.',
    schema: { type: 'string' },
    example: pathExamples[name],
  }));
  return {
    operationId: id,
    tags: [path.startsWith('/v1/') ? 'History' : 'Embeds'],
    summary,
    security: SECURITY[path.startsWith('/v1/') ? 'page' : 'anybody'],
    parameters: [...inPath, ...query.map(each => ({ ...each, in: 'query', required: each.name === 'url' }))],
    responses: responses(mediaType, answer),
  };
}

function responses(mediaType: string, schema: Schema): object {
  return {
    200: { description: 'The answer.', content: { [mediaType]: { schema } } },
    default: { description: 'An error.', content: { 'application/json': { schema: refTo('ErrorBody') } } },
  };
}
