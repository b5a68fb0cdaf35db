import { DetectorWorld, elsewhere, onHost } from './detector-world.ts';

/** One second, ms. */
export const SECOND = 1_000;
/** One minute, ms. */
export const MINUTE = 60 * SECOND;
/** IP address of the host on which several servers run. */
export const HOST = '9.9.9.9';

/**
 * Returns a simulated core that has probed its servers for ten minutes. `siblings`: number of servers at the address
 * HOST. The core also tracks forty servers at other addresses. `loss`: share of lost packets, from 0 to 1.
 */
export function world(siblings: number, loss = 0): DetectorWorld {
  const made = new DetectorWorld().add(...onHost(HOST, siblings), ...elsewhere(40));
  made.loss = () => loss;
  made.pass(10 * MINUTE);
  return made;
}

/** Makes the servers at these addresses stop answering at the time `from`. */
export function stopServers(made: DetectorWorld, addresses: readonly string[], from = made.now): void {
  const gone = new Set(addresses);
  made.up = (address, now) => now < from || !gone.has(address);
}
