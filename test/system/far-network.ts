import { once } from 'node:events';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from './child.ts';
import { enterOwnNetwork, ip } from './network-namespace.ts';

const NEAR = 'gsqnear';

/** A virtual cable between two network namespaces that have no other connection. */
export interface Wire {
  /** Network interface on the side of the game servers. `address` is its IP address, and `peer` that of the prober. */
  interface: string;
  address: string;
  peer: string;
  /** Networks at the far end, in CIDR notation. */
  networks: string[];
}

/**
 * Connects this process with a new process by a virtual cable, for tests with real packets. Each of the two processes
 * gets its own network namespace. The new process runs `program` and receives the configuration `wish`. Resolves with
 * the new process after its first message. Requires Linux and root.
 */
export async function reachFarSide(program: string, wish: Wire): Promise<Child> {
  await enterOwnNetwork();
  const farSide = await Child.start(
    'unshare',
    () => ['--net', process.execPath, ...scriptArguments(program)],
    { ipc: true },
  );
  try {
    await ip(`link add ${NEAR} type veth peer name ${wish.interface} netns ${farSide.pid}`);
    await ip(`addr add ${wish.peer}/30 dev ${NEAR}`);
    await ip(`link set ${NEAR} up`);
    await ip(`route add default via ${wish.address}`);
    farSide.process.send(wish);
    const ended = farSide.ended.then(() => Promise.reject(new Error(farSide.report)));
    ended.catch(() => {});
    await Promise.race([once(farSide.process, 'message'), ended]);
    return farSide;
  } catch (error) {
    await farSide.stop('SIGKILL');
    throw error;
  }
}

/** Configures the side of the game servers. Makes all addresses in `networks` local, so that servers can use them. */
export async function beFarSide(wire: Wire): Promise<void> {
  await ip('link set lo up');
  await ip(`addr add ${wire.address}/30 dev ${wire.interface}`);
  await ip(`link set ${wire.interface} up`);
  for (const network of wire.networks) await ip(`route add local ${network} dev lo`);
}
