import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { errorDetail } from '../answers/answer.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';

/** Maximum number of concurrent HTTP connections to one host. */
const SOCKETS_A_HOST = 4;
/**
 * Time after which the HTTP client closes an unused connection, ms. It is shorter than the usual idle timeout of HTTP
 * servers.
 */
const IDLE_MS = 4_000;

const gunzipped: (bytes: Buffer, options: ZlibOptions) => Promise<Buffer> = promisify(gunzip);

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** Limits on the time and the size of an HTTP reply. */
export interface ReplyLimits {
  timeoutMs: number;
  /** Maximum size of the reply body after decompression, bytes. */
  maxBytes: number;
}

export interface HttpReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface HttpClientOptions {
  lookup: LookupFunction;
  userAgent: string;
  wheel: TimerWheel;
  /** Certificates that the HTTP client trusts in addition to the certificates of the system. Only tests set them. */
  ca?: string;
  /**
   * Maximum size of a reply body in bytes. The smaller of this value and `ReplyLimits.maxBytes` applies. Only tests set
   * this property.
   */
  maxBytes?: number;
}

/**
 * HTTP client for requests to public server lists. Limits the size and the time of replies, because a server can be
 * hostile. Does not follow redirects: the caller follows them, and counts each redirect against a rate limit.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    const connections = {
      keepAlive: true,
      maxSockets: SOCKETS_A_HOST,
      timeout: IDLE_MS,
      lookup: options.lookup,
    };
    this.#http = new HttpAgent(connections);
    this.#https = new HttpsAgent({ ...connections, ...(options.ca !== undefined && { ca: options.ca }) });
  }

  /**
   * Sends a request. Resolves with the complete reply, whatever its status. Rejects with an error that explains the
   * failure if no complete reply arrives in time or if the reply is too large.
   */
  async fetch(wanted: HttpRequest, { timeoutMs, maxBytes }: ReplyLimits): Promise<HttpReply> {
    let late: Error | undefined;
    let current: ClientRequest | undefined;
    const timer = this.#options.wheel.after(timeoutMs, () => {
      late = new Error(`no whole answer within ${timeoutMs} ms`);
      current?.destroy(late);
    });
    try {
      await this.#judgeAddress(wanted.url);
      const most = Math.min(maxBytes, this.#options.maxBytes ?? maxBytes);
      return await this.#fetchOnce(wanted, most, request => {
        current = request;
        if (late) request.destroy(late);
      });
    } catch (error) {
      if (late) throw late;
      throw error instanceof Error ? new Error(errorDetail(error), { cause: error }) : error;
    } finally {
      timer.cancel();
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  /**
   * Rejects if the URL contains an IP address to which connections are not allowed. This check is necessary, because
   * Node.js calls the `lookup` function for host names only.
   */
  #judgeAddress({ hostname }: URL): Promise<void> {
    const address = hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#options.lookup(address, {}, error => (error ? reject(error) : resolve()));
    });
  }

  #fetchOnce(
    { method, url, headers, body }: HttpRequest,
    maxBytes: number,
    began: (request: ClientRequest) => void,
  ): Promise<HttpReply> {
    const secure = url.protocol === 'https:';
    const options = {
      method,
      agent: secure ? this.#https : this.#http,
      headers: {
        'accept-encoding': 'gzip',
        'user-agent': this.#options.userAgent,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, options, response => {
        // Ignores errors of the request after the response has started: the stream of the body reports a clearer error.
        request.off('error', reject).on('error', () => {});
        this.#read(response, maxBytes).then(resolve, error => {
          request.destroy();
          reject(error);
        });
      });
      request.on('error', reject);
      began(request);
      request.end(body);
    });
  }

  async #read(response: IncomingMessage, maxBytes: number): Promise<HttpReply> {
    const { statusCode: status = 0, headers } = response;
    const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (encoding !== 'identity' && encoding !== 'gzip')
      throw new Error(`is packed as ${encoding.slice(0, 20)}, which was not asked for`);
    const chunks: Buffer[] = [];
    await pipeline(response, collector(chunks, maxBytes));
    const bytes = Buffer.concat(chunks);
    // A reply without a body, for example with the status 304, can have the header Content-Encoding too.
    const isPacked = encoding === 'gzip' && bytes.length > 0;
    return { status, headers, body: isPacked ? await unpacked(bytes, maxBytes) : bytes };
  }
}

/** Unpacks a gzip file. Rejects if the unpacked data has more than `maxBytes` bytes. */
async function unpacked(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await gunzipped(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`sends more than ${maxBytes} bytes`, { cause: error });
    throw error;
  }
}

/**
 * Creates a stream that collects a reply body in `chunks`. The stream fails if it receives more than `maxBytes` bytes.
 */
function collector(chunks: Buffer[], maxBytes: number): Writable {
  let bytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      done(bytes > maxBytes ? new Error(`sends more than ${maxBytes} bytes`) : null);
    },
  });
}
