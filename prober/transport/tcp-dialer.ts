import { connect, isIPv6, type Socket } from 'node:net';
import { type Answer, connectionFailure, type Endpoint, errorDetail, NO_ROOM } from '../answers/answer.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { StreamExchange } from '../protocols/protocol.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import { Slots } from './slots.ts';

export interface TcpDialerOptions {
  /**
   * Maximum number of open TCP connections to game servers. Further queries wait in a queue, which has the same maximum
   * length. If the queue is full, a query fails immediately.
   */
  connections: number;
  /** Maximum number of bytes of a reply. If a server sends more bytes, the query fails. */
  maxBytes: number;
  wheel: TimerWheel;
}

/**
 * Queries servers over TCP. Opens a TCP connection for each query. Connects to IP addresses only, never to host names.
 */
export class TcpDialer {
  readonly #options: TcpDialerOptions;
  readonly #slots: Slots;
  readonly #open = new Set<() => void>();
  #closed = false;

  constructor(options: TcpDialerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.connections, options.connections);
  }

  /**
   * Queries a server: connects, sends the request, and reads the reply. Resolves when the reply is complete or the
   * query has failed. Never rejects, because the result also describes a failure.
   */
  async ask(
    endpoint: Endpoint,
    exchange: StreamExchange,
    admitted: AdmittedProbe,
    timeoutMs: number,
  ): Promise<Answer> {
    if (!(await this.#slots.acquire())) return { kind: 'fault', detail: 'too many TCP connections in line' };
    try {
      if (!(await admitted.waitForPacket())) return NO_ROOM;
      if (this.#closed) return { kind: 'fault', detail: 'closed' };
      const answer = await this.#converse(endpoint, exchange, timeoutMs);
      noteLoss(admitted, answer);
      return answer;
    } catch (error) {
      return { kind: 'fault', detail: error instanceof Error ? errorDetail(error) : String(error) };
    } finally {
      this.#slots.release();
    }
  }

  /** Closes all connections. Every open query ends with a failure that does not count against the server. */
  close(): void {
    this.#closed = true;
    for (const end of this.#open) end();
  }

  #converse({ address, port }: Endpoint, exchange: StreamExchange, timeoutMs: number): Promise<Answer> {
    const { wheel, maxBytes } = this.#options;
    return new Promise(resolve => {
      const dialledAt = wheel.now();
      let ping: number | undefined;
      let received = 0;
      // Makes DNS queries impossible. If `host` is not an IP address, Node.js calls this function `lookup`, which
      // always fails.
      const socket: Socket = connect({
        host: address,
        port,
        family: isIPv6(address) ? 6 : 4,
        lookup: (_host, _options, callback) => callback(new Error('not an address literal'), '', 0),
        noDelay: true,
      });
      const settle = (answer: Answer) => {
        timer.cancel();
        this.#open.delete(abort);
        socket.destroy();
        resolve(answer);
      };
      const orPartial = (answer: Answer) => {
        const status = exchange.partial();
        settle(status ? { kind: 'online', status, ping: ping ?? 0 } : answer);
      };
      const abort = () => settle({ kind: 'fault', detail: 'closed' });
      const timer = wheel.after(timeoutMs, () =>
        orPartial({ kind: 'silent', detail: ping === undefined ? 'no connection' : 'no complete reply' }),
      );
      this.#open.add(abort);
      socket.on('connect', () => {
        // Measures the ping with the TCP handshake, because any later round trip includes the time that the server
        // needs to answer.
        ping = wheel.now() - dialledAt;
        for (const packet of exchange.request()) socket.write(packet);
      });
      socket.on('data', chunk => {
        received += chunk.length;
        const step = exchange.receive(chunk);
        if (step.kind === 'done') settle({ kind: 'online', status: step.status, ping: ping ?? 0 });
        else if (step.kind === 'unknowable') settle(step.answer);
        else if (step.kind === 'malformed') settle({ kind: 'malformed', detail: step.reason });
        else if (received > maxBytes) settle({ kind: 'malformed', detail: `more than ${maxBytes} bytes` });
        else if (step.kind === 'send') for (const packet of step.packets) socket.write(packet);
      });
      socket.on('end', () =>
        orPartial({ kind: 'malformed', detail: `closed after ${received} bytes of reply` }),
      );
      socket.on('error', error => orPartial(failure(error, received)));
    });
  }
}

/**
 * Updates the packet loss counters of a probe after a TCP or gamedig query, which counts as one packet. The packet
 * counts as lost if no reply arrives in time, or if the connection is refused.
 */
export function noteLoss(admitted: AdmittedProbe, answer: Answer): void {
  const rejected = answer.kind === 'refused' && answer.detail === 'ECONNREFUSED';
  if (rejected) admitted.rejected++;
  if (rejected || answer.kind === 'silent') admitted.lost++;
}

function failure(error: Error, received: number): Answer {
  const code = errorDetail(error);
  if (received > 0) return { kind: 'malformed', detail: `${code} after ${received} bytes of reply` };
  return connectionFailure(code);
}
