import type { FirstToken } from './first-token.ts';

/** A game server in the example requests that `npm start` prints. */
export interface ExampleServer {
  gameId: string;
  address: string;
}

/** A server of the demo fleet. */
export interface FleetServer extends ExampleServer {
  /** Name of the server's query protocol, as in catalog.json. */
  protocol: string;
}

/** Data for the first screen, which `npm start` prints when all processes are ready. */
export interface ScreenFacts {
  /** Listening addresses of all processes, keyed by the name of the address setting, such as GSQ_HTTP_ADDR. */
  addresses: Readonly<Record<string, string>>;
  /** Whether REST and the public gRPC port use TLS. */
  tls: { rest: boolean; grpc: boolean };
  dataDirectory: string;
  /** True if the launcher deletes the data directory when it ends. */
  temporary: boolean;
  /** The token that this start of the service created. Undefined if the service already had a token. */
  token?: FirstToken | undefined;
  /** The servers of the demo fleet. Empty without a demo. */
  fleet: readonly FleetServer[];
}

/**
 * Example server that the user must replace by a real server. Its address is reserved for documentation (RFC 5737), so
 * gsq refuses it.
 */
const PLACEHOLDER: ExampleServer = { gameId: 'rust', address: '203.0.113.7:27015' };

/**
 * Wait time in the example request, in seconds. The service waits this long for the first probe of a new server, so
 * that even the first answer contains data.
 */
const WAIT_SECONDS = 3;

/**
 * Placeholder for the token in the example requests. It is used if the token was created at an earlier start, because
 * the launcher does not know the secret of such a token.
 */
const KNOWN_TOKEN: FirstToken = { secret: 'YOUR-TOKEN', tier: 'FREE', email: 'you@example.com' };

/**
 * Returns the address that a client on this machine can use to connect to a bound address. The wildcard address becomes
 * the loopback address.
 */
function dial(address: string | undefined): string {
  return (address ?? '').replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
}

/** Returns the URL of REST. */
function restUrl({ addresses, tls }: ScreenFacts): string {
  return `${tls.rest ? 'https' : 'http'}://${dial(addresses.GSQ_HTTP_ADDR)}`;
}

/** Quotes an argument for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function command(...lines: string[]): string {
  return lines.map((line, i) => (i === 0 ? `  ${line}` : `    ${line}`)).join(' \\\n');
}

function groups(examples: readonly ExampleServer[]): { game_id: string; servers: string[] }[] {
  const games = new Map<string, string[]>();
  for (const { gameId, address } of examples) games.set(gameId, [...(games.get(gameId) ?? []), address]);
  return [...games].map(([game_id, servers]) => ({ game_id, servers }));
}

/** Returns one server of the fleet for each protocol, so that the example request is short. */
function examplesOf(fleet: readonly FleetServer[]): ExampleServer[] {
  return fleet.filter(({ protocol }, i) => fleet.findIndex(other => other.protocol === protocol) === i);
}

function demoLines(fleet: readonly FleetServer[]): string {
  const games = groups(fleet);
  const width = Math.max(...games.map(({ game_id }) => game_id.length));
  const lines = games.map(({ game_id, servers }) => `${game_id.padEnd(width)}  ${servers.join(', ')}\n`);
  return lines.map((line, i) => `  ${i === 0 ? 'Demo' : '    '}   ${line}`).join('');
}

function headerLines(token: FirstToken): string[] {
  return [
    `-H ${quote(`X-API-Token: ${token.secret}`)}`,
    `-H ${quote(`X-API-Token-Type: ${token.tier}`)}`,
    `-H ${quote(`X-API-Token-Email: ${token.email}`)}`,
  ];
}

function tokenLines(token: FirstToken | undefined): string {
  if (token) {
    return `Your ${token.tier} token for ${token.email}. It is shown only this once:

  ${token.secret}`;
  }
  return `The service already has a token. To create another one:

  npm run gsq -- token create --email ${KNOWN_TOKEN.email}`;
}

function requests(facts: ScreenFacts): string {
  const { addresses, tls, fleet, token = KNOWN_TOKEN } = facts;
  const servers = groups(fleet.length > 0 ? examplesOf(fleet) : [PLACEHOLDER]);
  const restBody = `-d ${quote(JSON.stringify({ servers }))}`;
  const rpcBody = `-d ${quote(JSON.stringify({ servers, wait_ms: WAIT_SECONDS * 1000 }))}`;
  const headers = headerLines(token);
  const grpc = dial(addresses.GSQ_GRPC_ADDR);
  const method = 'gsq.v1.ServerService/FetchServers';
  const about =
    fleet.length > 0
      ? 'The examples fetch servers of the demo, one for each protocol.'
      : `Replace the game and the server by your own: ${PLACEHOLDER.address} is only a placeholder, which gsq refuses.`;
  return `Fetch servers by REST. ${about}

${command(
  `curl --compressed ${restUrl(facts)}/v1/post/fetch`,
  `-H 'Content-Type: application/json' -H 'Prefer: wait=${WAIT_SECONDS}' -w '\\n'`,
  ...headers,
  restBody,
)}

The same request by gRPC, with grpcurl or with buf (buf is already installed here):

${command(tls.grpc ? 'grpcurl' : 'grpcurl -plaintext', ...headers, rpcBody, `${grpc} ${method}`)}

${command(
  `npx buf curl --protocol grpc${tls.grpc ? '' : ' --http2-prior-knowledge'}`,
  ...headers,
  rpcBody,
  `${tls.grpc ? 'https' : 'http'}://${grpc}/${method}`,
)}
`;
}

/** Returns the text of the first screen, which is printed when all processes are ready. */
export function screen(facts: ScreenFacts): string {
  const { addresses, dataDirectory, temporary, token, fleet } = facts;
  const ops = `http://${dial(addresses.GSQ_GATEWAY_OPS_ADDR)}`;
  return `gsq is running. Ctrl-C stops it.

  REST   ${restUrl(facts)}
  gRPC   ${dial(addresses.GSQ_GRPC_ADDR)}${facts.tls.grpc ? ' (TLS)' : ''}
  Ops    ${ops}/metrics, ${ops}/core/metrics, ${ops}/prober/metrics
  Data   ${dataDirectory}${temporary ? ' (temporary, deleted when gsq stops)' : ''}
${demoLines(fleet)}
${tokenLines(token)}

${requests(facts)}`;
}
