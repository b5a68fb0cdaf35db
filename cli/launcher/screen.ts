/** A server to show in the printed requests. */
export interface ExampleServer {
  gameId: string;
  address: string;
}

/** The token made at the first start. */
export interface FirstToken {
  secret: string;
  tier: string;
  email: string;
}

export interface ScreenFacts {
  /** Setting name -> address as bound, of all processes. */
  addresses: Readonly<Record<string, string>>;
  dataDirectory: string;
  /** Whether the data goes when the launcher ends. */
  temporary: boolean;
  /** Undefined on every start but the first. */
  token: FirstToken | undefined;
  /** Servers of the demo; empty without one. */
  examples: readonly ExampleServer[];
}

/** Stands for the caller's own server: a documentation address (RFC 5737), refused and never sent to. */
const PLACEHOLDER: ExampleServer = { gameId: 'rust', address: '203.0.113.7:27015' };

/** Long enough for a first probe, so that even the first answer has its data. */
const WAIT_SECONDS = 3;

/** The token out of the core's notes, where this start made one. */
export function firstToken(notes: Readonly<Record<string, string>>): FirstToken | undefined {
  const { token: secret, tokenType: tier, tokenEmail: email } = notes;
  return secret && tier && email ? { secret, tier, email } : undefined;
}

/** Where to dial what is bound: all interfaces are reached by loopback. */
function dial(address: string | undefined): string {
  return (address ?? '').replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
}

/** One argument of a POSIX shell. */
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

function headerLines(token: FirstToken): string[] {
  return [
    `-H ${quote(`X-API-Token: ${token.secret}`)}`,
    `-H ${quote(`X-API-Token-Type: ${token.tier}`)}`,
    `-H ${quote(`X-API-Token-Email: ${token.email}`)}`,
  ];
}

function requests({ addresses, examples }: ScreenFacts, token: FirstToken): string {
  const servers = groups(examples.length > 0 ? examples : [PLACEHOLDER]);
  const restBody = `-d ${quote(JSON.stringify({ servers }))}`;
  const rpcBody = `-d ${quote(JSON.stringify({ servers, wait_ms: WAIT_SECONDS * 1000 }))}`;
  const headers = headerLines(token);
  const grpc = dial(addresses.GSQ_GRPC_ADDR);
  const method = 'gsq.v1.ServerService/FetchServers';
  const own =
    examples.length > 0
      ? 'These ask for servers of the demo.'
      : `Put your own game and server in: ${PLACEHOLDER.address} only stands for one and is refused.`;
  return `Your ${token.tier} token, of ${token.email}. It is shown this once:

  ${token.secret}

Fetch servers by REST:

${command(
  `curl --compressed http://${dial(addresses.GSQ_HTTP_ADDR)}/v1/post/fetch`,
  `-H 'Content-Type: application/json' -H 'Prefer: wait=${WAIT_SECONDS}'`,
  ...headers,
  restBody,
)}

The same by gRPC, with grpcurl or with buf, which is installed here:

${command('grpcurl -plaintext', ...headers, rpcBody, `${grpc} ${method}`)}

${command(
  'npx buf curl --protocol grpc --http2-prior-knowledge',
  ...headers,
  rpcBody,
  `http://${grpc}/${method}`,
)}

${own}
`;
}

/** What the launcher prints once everything runs. */
export function screen(facts: ScreenFacts): string {
  const { addresses, dataDirectory, temporary, token, examples } = facts;
  const ops = `http://${dial(addresses.GSQ_GATEWAY_OPS_ADDR)}`;
  const demo =
    examples.length > 0
      ? `  Demo   ${examples.map(({ gameId, address }) => `${gameId} ${address}`).join(', ')}\n`
      : '';
  const about = token
    ? requests(facts, token)
    : 'For a token: npm run gsq -- token create --email you@example.com\n';
  return `gsq is running. Ctrl-C stops it.

  REST   http://${dial(addresses.GSQ_HTTP_ADDR)}
  gRPC   ${dial(addresses.GSQ_GRPC_ADDR)}
  Ops    ${ops}/metrics, ${ops}/core/metrics, ${ops}/prober/metrics
  Data   ${dataDirectory}${temporary ? ' (removed when this ends)' : ''}
${demo}
${about}`;
}
