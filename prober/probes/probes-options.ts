import type { DirectoriesOptions } from '../directories/directories.ts';
import type { RateLimits } from '../politeness/rate-limits.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { BindSocket } from '../transport/datagram-socket.ts';

/** How `Probes` asks: sockets, workers, rate limits. */
export interface ProbesOptions {
  /** UDP sockets for each address family. */
  udpSockets?: number;
  /** Receive buffer of each UDP socket, bytes. */
  receiveBuffer?: number;
  /** Most TCP connections open at once. */
  tcpConnections?: number;
  /** Number of gamedig worker threads. */
  gamedigWorkers?: number;
  /** Settings of directory requests that differ from the defaults. */
  directories?: Partial<Omit<DirectoriesOptions, 'wheel' | 'warn'>>;
  /** Rate limits that differ from the defaults; for the operator's own networks. */
  rateLimits?: Partial<RateLimits>;
  /** Receives messages that an operator should read. */
  warn: (message: string) => void;
  /** The monotonic clock. The owner of a wheel that is passed in drives and stops it. */
  wheel?: TimerWheel;
  /** Binds each UDP socket; the system's sockets are used if it is absent. */
  bind?: BindSocket;
}
