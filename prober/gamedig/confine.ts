import { Socket } from 'node:net';
import { errorDetail } from '../answers/answer.ts';

/** Describes how a TCP connection of gamedig failed. */
export interface ConnectionError {
  /** Error code of the system, such as ECONNREFUSED; the error message if the error has no code. */
  code: string;
  /** True if the connection had been established before it failed. */
  wasConnected: boolean;
}

export interface Confinement {
  /** Returns true if gamedig may open TCP connections to an address and port. */
  vetted: (address: string, port: number) => boolean;
  /**
   * Called with the error of each failed TCP connection of gamedig. gamedig itself reports all these errors as "TCP
   * Connection Refused".
   */
  failed: (address: string, port: number, error: ConnectionError) => void;
}

/**
 * Restricts the TCP connections of this thread to endpoints that `vetted` allows. Without this, a game server could
 * make gamedig connect to any host, because gamedig follows HTTP redirects.
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
 * Reads host and port from the arguments of a call to `connect`. Node.js itself passes the arguments in an array.
 * Returns undefined if the call connects to a Unix socket.
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
