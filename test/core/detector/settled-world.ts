import { DetectorWorld, elsewhere, onHost } from './detector-world.ts';

/** One second, ms. */
export const SECOND = 1_000;
/** One minute, ms. */
export const MINUTE = 60 * SECOND;
/** IP address of the host in each world of this module. */
export const HOST = '9.9.9.9';

/**
 * Creates a world with `siblings` servers on the host HOST and forty servers elsewhere. All of them have answered
 * for ten minutes. `loss`: share of the packets that are lost, from 0 to 1.
 */
export function world(siblings: number, loss = 0): DetectorWorld {
  const made = new DetectorWorld().add(...onHost(HOST, siblings), ...elsewhere(40));
  made.loss = () => loss;
  made.pass(10 * MINUTE);
  return made;
}

/** Stops the servers with these addresses at the time `from`. */
export function stopServers(made: DetectorWorld, addresses: readonly string[], from = made.now): void {
  const gone = new Set(addresses);
  made.up = (address, now) => now < from || !gone.has(address);
}
