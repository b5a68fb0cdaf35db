import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { protocols } from 'gamedig';

/** Parameters of an HTTP request of gamedig, in the form in which its protocols pass them. */
interface RequestParameters {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  searchParams?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: string;
  /** Body that is sent as JSON. */
  json?: unknown;
  /** `json`: the body of the reply is parsed as JSON. Otherwise it is a string. */
  responseType?: string;
  https?: { minVersion?: 'TLSv1.2'; rejectUnauthorized?: boolean };
}

/** The parts of gamedig's class `Core` that its HTTP requests use. All protocols of gamedig extend this class. */
interface Core {
  options: { socketTimeout: number };
  /** Promise that rejects when the query of gamedig has ended. */
  abortedPromise: Promise<never>;
  /** True if the round trip time must not be measured at an HTTP request. */
  usedTcp: boolean;
  /** Notes a measured round trip time, ms. gamedig reports the shortest one as `ping`. */
  registerRtt(ms: number): void;
  request(parameters: RequestParameters): Promise<unknown>;
}

/**
 * Replaces the HTTP requests of gamedig in this thread. The replacement rejects compressed replies and redirects.
 * gamedig itself would unpack replies of any size, which can end the process. It would also follow redirects, which can
 * lead to a different game server. `confineConnections` limits the size of a reply. To measure the round trip time,
 * gamedig would open one more connection before its first request. The replacement measures it at the connections of
 * the requests.
 */
export function boundRequests(): void {
  const core = Object.getPrototypeOf(protocols.eldewrito).prototype as Core;
  core.request = async function (parameters) {
    const over = new AbortController();
    const late = AbortSignal.timeout(this.options.socketTimeout);
    const began = performance.now();
    const connected = (): void => {
      if (!this.usedTcp) this.registerRtt(Math.round(performance.now() - began));
    };
    const asked = send(parameters, AbortSignal.any([over.signal, late]), connected).catch(
      (error: unknown) => {
        throw late.aborted ? new Error('Request timed out') : error;
      },
    );
    try {
      return await Promise.race([asked, this.abortedPromise]);
    } finally {
      over.abort();
    }
  };
}

/**
 * Makes gamedig accept the replies of ElDewrito servers with a password, which contain no player list. Call this
 * function after `boundRequests`.
 */
export function acceptPlayerlessReplies(): void {
  const eldewrito = protocols.eldewrito.prototype as Core;
  const { request } = eldewrito;
  eldewrito.request = async function (parameters) {
    return Object.assign({ players: [] }, await request.call(this, parameters));
  };
}

async function send(
  parameters: RequestParameters,
  signal: AbortSignal,
  connected: () => void,
): Promise<unknown> {
  const { method = 'GET', searchParams = {}, responseType, https } = parameters;
  const url = new URL(parameters.url);
  for (const [name, value] of Object.entries(searchParams))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const isJson = responseType === 'json';
  const body = parameters.json === undefined ? parameters.body : JSON.stringify(parameters.json);
  const headers = {
    'user-agent': 'gsq',
    ...(isJson && { accept: 'application/json' }),
    ...(parameters.json !== undefined && { 'content-type': 'application/json' }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    ...parameters.headers,
  };
  const options = { method, headers, signal, agent: false, ...https };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.once('socket', socket => socket.once('connect', connected));
    request.once('response', resolve).once('error', reject).end(body);
  });
  const text = await readText(response);
  if (!isJson) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${error} in "${url}"`, { cause: error });
  }
}

/** Reads the body of a reply. Rejects if the reply has an HTTP status other than 200, or is compressed. */
async function readText(response: IncomingMessage): Promise<string> {
  const { statusCode, statusMessage, headers } = response;
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (statusCode !== 200 || encoding !== 'identity') {
    response.destroy();
    // The error text is the one of gamedig itself, which `readError` recognises.
    if (statusCode !== 200) throw new Error(`Response code ${statusCode} (${statusMessage})`);
    throw new Error(`the reply is packed as ${encoding.slice(0, 20)}, which was not asked for`);
  }
  const chunks: Buffer[] = [];
  const { socket } = response;
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (error) {
    // If `confineConnections` ended the connection, `error` says only that the reply was aborted. `socket.errored`
    // contains the cause.
    throw socket.errored ?? error;
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
