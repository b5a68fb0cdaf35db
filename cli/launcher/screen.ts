import { gsqCommand } from '../console/invocation.ts';
import { COMMAND, fill, type Joint, quote, shellWords } from '../console/shell-text.ts';
import type { ExampleServer } from './first-steps.ts';

/** Data for the first screen, which `npm start` prints when all processes are ready. */
export interface ScreenFacts {
  /** Listening addresses of all processes, keyed by the name of the address setting, such as GSQ_HTTP_ADDR. */
  addresses: Readonly<Record<string, string>>;
  /** Whether REST and the public gRPC port use TLS. */
  tls: { rest: boolean; grpc: boolean };
  /** Where the service stores its data: a directory, or a Redis or Valkey. */
  dataPlace: string;
  /** True if the launcher deletes the data directory when it ends. */
  temporary: boolean;
  /** Settings that `gsq` commands need to find this service, keyed by their names. */
  settings: Readonly<Record<string, string>>;
  /**
   * True if GSQ_INTERNAL_SECRET is set. `gsq` commands in a second terminal then need the same setting, so the screen
   * asks the user to set it there. The screen does not show the secret itself.
   */
  secretIsSetting?: boolean;
  /** Tier and e-mail of the first token. */
  tier: string;
  email: string;
  /** Secret of the token that this start of the service created. Undefined if the service already had a token. */
  secret?: string | undefined;
  /** Tracked servers for the example request. If the list is empty, the user must put a server into the request. */
  examples: readonly ExampleServer[];
  /** True if callers without a token can read the tracked servers (GSQ_PAGE=on). */
  isPageOn?: boolean;
  /** Number of servers of the demo fleet. 0 without a demo. */
  fleetSize: number;
}

/** Example server that the user must replace by a real server. */
const PLACEHOLDER: ExampleServer = { gameId: 'GAME', address: 'HOST:PORT' };

/**
 * Wait time of the example request, in seconds. The service waits for the first probe of a new server, so that the
 * answer contains data.
 */
const WAIT_SECONDS = 5;

/**
 * Returns the address that a client on this machine can use to connect to a bound address. The wildcard address becomes
 * the loopback address.
 */
export function dial(address: string | undefined): string {
  return (address ?? '').replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
}

const FACTS: Joint = { between: '   ', atEnd: '' };

/** Returns the curl option that contains the body of the example request. The body can have several lines. */
function bodyOption(examples: readonly ExampleServer[]): string {
  const pieces = examples.flatMap(({ gameId, address }, i) => [
    `{"game_id":${JSON.stringify(gameId)},`,
    `"servers":[${JSON.stringify(address)}]}${i < examples.length - 1 ? ',' : `]}'`}`,
  ]);
  // The lines of the option `-d` are indented by two spaces, because they continue the curl command in the line above.
  return fill([`  -d '{"servers":[`, ...pieces], { between: '', atEnd: '' });
}

/**
 * Returns shell commands for a first request. They store the secret of a token in a variable, or create a token if no
 * secret is known.
 */
function firstRequest({ addresses, tls, settings, tier, email, secret, examples }: ScreenFacts): string {
  const url = `${tls.rest ? 'https' : 'http'}://${dial(addresses.GSQ_HTTP_ADDR)}/v1/post/fetch`;
  const exported = Object.entries(settings).map(([name, value]) => `${name}=${quote(value)}`);
  const token = secret === undefined ? `$(${createToken(email, tier)})` : quote(secret);
  const assignments = shellWords(`TOKEN=${token}`).concat(`EMAIL=${quote(email)}`);
  const request = fill(
    [
      `curl --compressed ${url}`,
      `-H 'Prefer: wait=${WAIT_SECONDS}'`,
      `-H 'Content-Type: application/json'`,
      `-H 'X-API-Token-Type: ${tier}'`,
      '-H "X-API-Token: $TOKEN"',
      '-H "X-API-Token-Email: $EMAIL"',
      String.raw`-w '\n'`,
    ],
    COMMAND,
  );
  return [
    ...(exported.length > 0 ? [fill(['export', ...exported], COMMAND)] : []),
    fill(assignments, COMMAND),
    `${request} \\\n${bodyOption(examples.length > 0 ? examples : [PLACEHOLDER])}`,
  ].join('\n');
}

function createToken(email: string, tier: string): string {
  const type = tier === 'FREE' ? '' : ` --type ${tier}`;
  return gsqCommand(`token create --email ${quote(email)}${type}`);
}

function aboutPaste({ secret, secretIsSetting }: ScreenFacts): string {
  const first = secretIsSetting
    ? 'In a second terminal, first set GSQ_INTERNAL_SECRET: gsq commands need it.\n'
    : '';
  const about =
    secret === undefined
      ? 'The service has a token. Paste this into a second terminal to make one more:'
      : 'Requests need TOKEN, shown only this once. Paste this into a second terminal:';
  return first + about;
}

/**
 * Returns the text of the first screen. It has at most 80 columns. It fits 24 lines together with the lines that npm
 * prints.
 */
export function screen(facts: ScreenFacts): string {
  const { addresses, dataPlace, temporary, email, tier, examples, fleetSize } = facts;
  const demo = fleetSize > 0 ? ` a demo of ${fleetSize} game servers` : '';
  const rest = `${facts.tls.rest ? 'https' : 'http'}://${dial(addresses.GSQ_HTTP_ADDR)}`;
  const ops = `http://${dial(addresses.GSQ_GATEWAY_OPS_ADDR)}/metrics`;
  const hint = (about: string, command: string): string =>
    fill(shellWords(about.padEnd(13) + command), COMMAND);
  const ports = [`REST  ${rest}`, `gRPC  ${dial(addresses.GSQ_GRPC_ADDR)}${facts.tls.grpc ? ' (TLS)' : ''}`];
  const more = [
    ...(fleetSize > 0
      ? [hint('Watch it:', gsqCommand('top')), hint('Servers:', gsqCommand('servers list'))]
      : [hint('Game ids:', gsqCommand('games rust'))]),
    hint('More tokens:', createToken(email, tier)),
  ];
  // If settings differ from their defaults, the first screen has one more line (`export`). It then has one blank line
  // less, so that it still fits 24 lines.
  const gap = Object.keys(facts.settings).length > 0 ? '' : '\n';
  const putIn = `First put in a server: ${PLACEHOLDER.address} is its address, ${PLACEHOLDER.gameId} the id of its game.\n`;
  // Prints the address of the web page first, because most people open the page before they read more. The line also
  // says that strangers can see the page.
  const page = facts.isPageOn ? `Page  ${rest}/ for everybody who reaches it (GSQ_PAGE=on)\n` : '';
  return `gsq is running${demo}. Ctrl-C stops it${temporary ? ' and deletes its data' : ''}.
${page}${fill(ports, FACTS)}
${fill([`Ops   ${ops}`, `Data  ${dataPlace}`], FACTS)}

${aboutPaste(facts)}
${firstRequest(facts)}
${gap}${examples.length > 0 ? '' : putIn}${more.join('\n')}
`;
}
