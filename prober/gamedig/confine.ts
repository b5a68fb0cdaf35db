import { Socket } from 'node:net';
import { errorDetail } from '../answers/answer.ts';

/** How a connection failed. */
export interface ConnectionError {
  /** The system's error code, such as ECONNREFUSED; the message if there is none. */
  code: string;
  /** True if the connection had been established before it failed. */
  wasConnected: boolean;
}

export interface Confinement {
  /** Returns whether an endpoint may be connected to. */
  vetted: (address: string, port: number) => boolean;
  /** Receives each failed connection: gamedig reports all of them as "TCP Connection Refused". */
  failed: (address: string, port: number, error: ConnectionError) => void;
}

/**
 * Restricts this thread's TCP connections to endpoints that `vetted` allows. gamedig follows HTTP redirects,
 * so a game server could otherwise make it connect to any host and port that this machine reaches.
 */
export function confineConnections({ vetted, failed }: Confinement): void {
  const connect = Socket.prototype.connect;
  const confined = function (this: Socket, ...args: unknown[]): unknown {
    const endpoint = endpointOf(args);
    if (!endpoint) throw new Error('may not connect to a path');
    const { host, port } = endpoint;
    if (!vetted(host, port)) throw new Error(`may not connect to ${host}, port ${port}`);
    let wasConnected = false;
    this.once('connect', () => {
      wasConnected = true;
    });
    this.once('error', error => failed(host, port, { code: errorDetail(error), wasConnected }));
    return Reflect.apply(connect, this, args);
  };
  Object.defineProperty(Socket.prototype, 'connect', { value: confined, configurable: true, writable: true });
}

/**
 * Reads the endpoint from the arguments of `connect(port, host)`, `connect({port, host}, …)` or Node's own
 * `connect([{port, host}, …])`; undefined for a path.
 */
function endpointOf([first, second]: unknown[]): { host: string; port: number } | undefined {
  if (Array.isArray(first)) return endpointOf(first);
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = { host: undefined, port: undefined, path: undefined, ...first };
    if (path && !port) return undefined;
    return { host: typeof host === 'string' ? host : 'localhost', port: Number(port) };
  }
  if (typeof first !== 'number') return undefined;
  return { host: typeof second === 'string' ? second : 'localhost', port: first };
}
