import type { DirectoriesOptions } from '../directories/directories.ts';
import type { RateLimits } from '../politeness/rate-limits.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { BindSocket } from '../transport/datagram-socket.ts';

/** How `Probes` asks: sockets, workers, rate limits. */
export interface ProbesOptions {
  /** UDP sockets of each family. */
  udpSockets?: number;
  /** Receive buffer of each UDP socket, bytes. */
  receiveBuffer?: number;
  /** TCP connections open at once. */
  tcpConnections?: number;
  /** gamedig worker threads. */
  gamedigWorkers?: number;
  /** How directories are asked, where that differs from what it is for any operator. */
  directories?: Partial<Omit<DirectoriesOptions, 'wheel' | 'warn'>>;
  /** Where they differ from good politeness, for networks of one's own. */
  rateLimits?: Partial<RateLimits>;
  /** Told what an operator should know. */
  warn: (message: string) => void;
  /** Time, monotonic. One handed in is driven and stopped by its owner. */
  wheel?: TimerWheel;
  /** Binds each UDP socket; without it they are the system's. */
  bind?: BindSocket;
}
