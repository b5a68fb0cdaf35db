import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { plainIP } from '../../net/ipv6.ts';
import { reasons } from '../../proto/reasons.ts';
import type { AccessLog } from '../../runtime/access-log.ts';
import { callerAddress } from './caller-address.ts';
import type { Exchange, Reply } from './exchange.ts';
import { originOf } from './request-origin.ts';

/** Writes the answers of the gateway to the access log. */
export class AnswerLog {
  readonly #access: AccessLog;
  readonly #trustedProxies: number;

  /** `trustedProxies`: number of reverse proxies between the caller and the gateway. */
  constructor(access: AccessLog, trustedProxies: number) {
    this.#access = access;
    this.#trustedProxies = trustedProxies;
  }

  /**
   * Called at the start of each request. Returns true if the request is in the sample: the requests that are logged
   * even if they succeed.
   */
  takeSample(): boolean {
    return this.#access.takeSample();
  }

  /**
   * Logs an answer if it is an error, or if its request is in the sample of logged requests. `route`: name of the
   * route.
   */
  logAnswer(exchange: Exchange, route: string, reply: Reply, seconds: number): void {
    if (reply.code === undefined) {
      if (exchange.isSampled) this.#access.logAnswer(this.#line(exchange, route, reply, seconds));
      return;
    }
    if (exchange.isSampled) this.#access.returnSample();
    const level = reasons[reply.code].http >= 500 && !reply.logged ? 'warn' : 'info';
    const caller = callerAddress(exchange.request, this.#trustedProxies);
    this.#access.logRefusal(caller, reply.code, level, () => this.#line(exchange, route, reply, seconds));
  }

  /**
   * Logs the answer to bytes that are not a valid request. `socket`: the connection. The X-Forwarded-For header is
   * unknown, so the logged caller is the peer of the connection, which can be a proxy.
   */
  logFault(socket: Duplex, requestId: string, { status, code = 'HTTP_1' }: Reply): void {
    const caller = socket instanceof Socket ? plainIP(socket.remoteAddress ?? '') : '';
    this.#access.logRefusal(caller, code, 'info', () => ({
      request_id: requestId,
      caller,
      route: NO_ROUTE,
      status,
      code,
    }));
  }

  #line(exchange: Exchange, route: string, { status, code }: Reply, seconds: number): object {
    const { request, account } = exchange;
    return {
      ...originOf(exchange),
      caller: callerAddress(request, this.#trustedProxies),
      ...(account && {
        token_id: account.tokenId,
        addresses: account.addresses,
        inserted: account.inserted,
        invalid: account.invalid,
      }),
      route,
      status,
      code: code ?? 'OK',
      ms: Math.round(seconds * 100_000) / 100,
    };
  }
}

/**
 * Value of the log field `route` if the path of the request is unknown, or if the received bytes are not a valid
 * request.
 */
export const NO_ROUTE = 'none';
