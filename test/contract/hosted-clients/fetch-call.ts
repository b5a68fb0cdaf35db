import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { hearHttp } from '../../system/hearing.ts';
import type { Credentials, Group } from '../rest.ts';
import { rowsOf, type ShownRow } from './shown-row.ts';

/**
 * Options of a simulated PHP client: its credentials, the hosts to which it connects, and the certificate authority
 * that it trusts.
 */
export interface ClientOptions extends Credentials {
  /**
   * The `host:port` to which the client connects, keyed by the `host:port` in the URL. Replaces DNS and a reverse
   * proxy. For any other URL, the client connects to the `host:port` in the URL.
   */
  routes?: Readonly<Record<string, string>>;
  /** Certificate authority that the client trusts, in PEM format. */
  ca?: Buffer;
}

/** A fetch that was refused: its HTTP status, the error code and the text that the client shows. */
export class FetchRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { error, message, quota, used }: Record<string, unknown>) {
    // If the service refuses a fetch with the status 429, a client shows the used quota and the total quota.
    super(quota === undefined ? String(message) : `${used} of ${quota} requests are used`);
    this.status = status;
    this.code = String(error);
  }
}

/** Sends a request for a URL. `routes` can replace the address to which the request is sent. */
function open(
  url: URL,
  { routes = {}, ca }: ClientOptions,
  headers: Record<string, string>,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const secure = url.protocol === 'https:';
  const named = `${url.hostname}:${url.port || (secure ? 443 : 80)}`;
  const [host, port] = (routes[named] ?? named).split(':');
  const options = { host, port, path: url.pathname, method: 'POST', agent: false } as const;
  const sent = { ...options, headers: { Host: url.host, ...headers } };
  return secure
    ? requestHttps({ ...sent, servername: url.hostname, ...(ca && { ca }) }, onResponse)
    : requestHttp(sent, onResponse);
}

/**
 * Sends a fetch like the PHP clients, and decompresses a gzip answer. Resolves to the rows of the answer. Rejects with
 * FetchRefused if the status is not 200.
 */
export function fetchRows(
  url: string,
  options: ClientOptions,
  servers: readonly Group[],
  acceptEncoding?: string,
): Promise<ShownRow[]> {
  const { token, tier, email } = options;
  const headers = {
    'Content-Type': 'application/json',
    'X-API-Token': token,
    'X-API-Token-Type': tier,
    'X-API-Token-Email': email,
    ...(acceptEncoding !== undefined && { 'Accept-Encoding': acceptEncoding }),
  };
  return new Promise((resolve, reject) => {
    const sent = open(new URL(url), options, headers, response => {
      const pieces: Buffer[] = [];
      response.on('error', reject).on('data', piece => pieces.push(piece));
      response.on('end', () => {
        const bytes = Buffer.concat(pieces);
        const zipped = response.headers['content-encoding'] === 'gzip';
        const text = (zipped ? gunzipSync(bytes) : bytes).toString();
        const { statusCode = 0 } = response;
        hearHttp(statusCode, response.headers, text);
        const answer = JSON.parse(text) as Record<string, unknown>;
        if (statusCode === 200) resolve(rowsOf(answer));
        else reject(new FetchRefused(statusCode, answer));
      });
    });
    sent.on('error', reject).end(JSON.stringify({ servers }));
  });
}
