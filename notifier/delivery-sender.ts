import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Resolver } from '../net/resolver.ts';
import type { TargetPolicy } from '../net/targets.ts';
import type { Delivery__Output } from '../proto/generated/gsq/v1/Delivery.ts';
import { inWords, reasonOf } from '../runtime/error-words.ts';
import { AbsentName, type DeliveryTarget, deliveryTarget } from './delivery-target.ts';
import { retryAfterSeconds } from './retry-after.ts';

/**
 * Maximum number of bytes that the notifier reads from the answer to a delivery (the request to a webhook). This is
 * enough for the id of a new Discord message.
 */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Maximum length of the error text of a failed delivery that is reported to the core, in characters. */
const MAX_ERROR = 300;
/**
 * Codes of errors on this machine: no route, no free port, a firewall. After such an error, no packet has reached the
 * webhook receiver.
 */
const LOCAL_ERRORS = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EACCES',
  'EPERM',
]);

/** Dependencies of `sendDelivery`. */
export interface SenderDependencies {
  resolver: Pick<Resolver, 'resolve'>;
  /** Returns the time of a monotonic clock, ms. */
  elapsed: () => number;
  /**
   * Certificates of certificate authorities that are trusted for webhook deliveries, instead of the authorities that
   * Node trusts. Only tests set this property.
   */
  ca?: string;
}

/**
 * Result of one attempt to send a webhook delivery: the fields of a DeliveryResult message, except for the lease id.
 */
export interface SentDelivery {
  /** HTTP status of the answer of the webhook receiver; 0 if there was no answer. */
  httpStatus: number;
  /** Reason why the request to the webhook got no answer; empty if it got an answer. */
  error: string;
  /** True if a failure is not the fault of the webhook receiver, because this machine could not send the request. */
  notSent: boolean;
  retryAfterSeconds: number;
  /** The first 64 KiB of the answer's body. Empty unless the delivery has `wantsBody`. */
  body: Buffer;
  durationMs: number;
}

/**
 * Sends a delivery (a request to a webhook) once, and resolves to the result. Never rejects. Follows no redirect. Gives
 * up after `timeoutMs`, whatever the webhook receiver does. Reads at most 64 KiB of the answer.
 */
export async function sendDelivery(
  delivery: Delivery__Output,
  policy: TargetPolicy,
  dependencies: SenderDependencies,
): Promise<SentDelivery> {
  const began = dependencies.elapsed();
  const late = AbortSignal.timeout(delivery.timeoutMs);
  let target: DeliveryTarget | undefined;
  const failed = (error: unknown): Answer => ({
    httpStatus: 0,
    error: late.aborted ? `no answer within ${delivery.timeoutMs} ms` : inWords(reasonOf(error)),
    notSent: target ? LOCAL_ERRORS.has(codeOf(error)) : !(error instanceof AbsentName),
    retryAfterSeconds: 0,
    body: NOTHING,
  });
  const answer = await Promise.race([
    deliveryTarget(delivery.url, policy, dependencies.resolver).then(found => {
      target = found;
      return request(delivery, found, late, dependencies.ca);
    }),
    aborted(late),
  ]).catch(failed);
  return {
    ...answer,
    error: answer.error.slice(0, MAX_ERROR),
    durationMs: Math.round(dependencies.elapsed() - began),
  };
}

type Answer = Omit<SentDelivery, 'durationMs'>;

const NOTHING = Buffer.alloc(0);

function codeOf(error: unknown): string {
  return (error instanceof Error && (error as NodeJS.ErrnoException).code) || '';
}

/**
 * Returns a promise that rejects when the signal is aborted. `sendDelivery` needs it for the DNS look-up, which cannot
 * be aborted. So after an abort, `sendDelivery` does not wait for the look-up, and ignores its result.
 */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function request(
  { method, headers, body, wantsBody }: Delivery__Output,
  { url, address }: DeliveryTarget,
  signal: AbortSignal,
  ca: string | undefined,
): Promise<Answer> {
  const options: RequestOptions & { ca?: string } = {
    method,
    headers: { ...headers, 'accept-encoding': 'identity', 'content-length': body.length },
    // Opens a new connection for each delivery, so that the request goes to the address that was checked for this
    // delivery.
    agent: false,
    lookup: onlyAddress(address),
    signal,
    ...(ca !== undefined && { ca }),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = send(url, options, response => {
      const answer = (read: Buffer): void => {
        resolve({
          httpStatus: response.statusCode ?? 0,
          error: '',
          notSent: false,
          retryAfterSeconds: retryAfterSeconds(response.headers),
          body: read,
        });
        // Closes the connection to the webhook receiver, so that no more bytes are read even if the receiver continues
        // to send.
        sent.destroy();
      };
      if (wantsBody) readStart(response, answer);
      else answer(NOTHING);
    });
    // `destroy` can cause an error of the request after the answer has arrived. Such an error has no effect, because
    // the promise is already resolved.
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Calls `read` with the first MAX_ANSWER_BYTES bytes of an answer. If the answer breaks off, calls `read` with the
 * bytes that have arrived.
 */
function readStart(response: IncomingMessage, read: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (): void => read(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES));
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ANSWER_BYTES) end();
  });
  response.on('end', end);
  response.on('error', end);
}

/** Returns a DNS look-up function for `http.request` that returns the checked address for every host name. */
function onlyAddress(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, options, found) => {
    if (options.all) found(null, [{ address, family }]);
    else found(null, address, family);
  };
}
