import { Socket } from 'node:net';
import { errorDetail } from '../answers/answer.ts';

/** Describes how a TCP connection of gamedig failed. */
export interface ConnectionError {
  /** Error code of the system, such as ECONNREFUSED; the error message if the error has no code. */
  code: string;
  /** True if the connection had been established before it failed. */
  wasConnected: boolean;
}

/**
 * Maximum number of bytes that gamedig receives over one TCP connection. gamedig keeps all bytes of a reply in memory,
 * and the memory limit of the worker thread does not count them.
 */
const MAX_BYTES = 1024 * 1024;

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
 * Restricts the TCP connections of this thread to endpoints that `vetted` allows. Limits the bytes that each connection
 * receives. Without these limits, gamedig could connect to hosts that gsq must not contact, and a game server could
 * fill the memory.
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
    limitBytes(this);
    this.once('error', error => failed(host, port, { code: errorDetail(error), wasConnected }));
    return Reflect.apply(connect, this, args);
  };
  Object.defineProperty(Socket.prototype, 'connect', { value: confined, configurable: true, writable: true });
}

/** Destroys a socket with an error when it has received more than MAX_BYTES bytes. */
function limitBytes(socket: Socket): void {
  const push = socket.push.bind(socket);
  let received = 0;
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    received += chunk?.length ?? 0;
    if (received <= MAX_BYTES) return push(chunk, encoding);
    socket.destroy(new Error(`sends more than ${MAX_BYTES} bytes`));
    return false;
  };
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
