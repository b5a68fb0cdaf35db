import { Socket } from 'node:net';
import { errorDetail } from '../answers/answer.ts';

/** How a connection failed. */
export interface ConnectionError {
  /** The system's, such as ECONNREFUSED; the message if there is none. */
  code: string;
  /** Whether the connection had been made before. */
  wasConnected: boolean;
}

export interface Confinement {
  /** Whether an endpoint may be connected to. */
  vetted: (address: string, port: number) => boolean;
  /** Told of each connection that fails: gamedig tells "TCP Connection Refused" of any. */
  failed: (address: string, port: number, error: ConnectionError) => void;
}

/**
 * Lets this thread connect by TCP to the endpoints `vetted` says yes to, whose addresses were judged already, and
 * nowhere else: gamedig follows HTTP redirects, so a game server could otherwise send it to any host and port we can
 * reach.
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

/** `connect(port, host)`, `connect({port, host}, …)` or node's own `connect([{port, host}, …])`; undefined for a path. */
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
