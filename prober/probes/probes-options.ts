import type { DirectoriesOptions } from '../directories/directories.ts';
import type { RateLimits } from '../politeness/rate-limits.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { BindSocket } from '../transport/datagram-socket.ts';

/** Options of `Probes`: sockets, worker threads and rate limits. */
export interface ProbesOptions {
  /** Number of UDP sockets that the prober opens for each address family (IPv4 and IPv6). */
  udpSockets?: number;
  /** Size of the receive buffer of each UDP socket, bytes. */
  receiveBuffer?: number;
  /** Maximum number of concurrent TCP connections. */
  tcpConnections?: number;
  /** Number of worker threads that run the library gamedig. */
  gamedigWorkers?: number;
  /** Options for look-ups in public server lists. An absent option has its default value. */
  directories?: Partial<Omit<DirectoriesOptions, 'wheel' | 'warn'>>;
  /** Rate limits of the prober. An absent limit has its default value. */
  rateLimits?: Partial<RateLimits>;
  /** Called with messages that an operator should read. */
  warn: (message: string) => void;
  /**
   * Timing wheel that schedules all timeouts, with the monotonic clock. If it is absent, the prober creates a wheel of
   * its own. If the caller passes a wheel, the caller must start and stop it.
   */
  wheel?: TimerWheel;
  /**
   * Opens each UDP socket of the prober. If this function is absent, the prober opens sockets of the operating system.
   */
  bind?: BindSocket;
}
