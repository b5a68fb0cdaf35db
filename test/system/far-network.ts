import { once } from 'node:events';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from './child.ts';
import { enterOwnNetwork, ip } from './network-namespace.ts';

const NEAR = 'gsqnear';

/** A virtual cable between two network namespaces that have no other connection. */
export interface Wire {
  /**
   * Network interface at the game servers' end of the virtual cable. `address` is its IP address, and `peer` is the IP
   * address of the prober's end.
   */
  interface: string;
  address: string;
  peer: string;
  /** Networks of the fake game servers, in CIDR notation. */
  networks: string[];
}

/**
 * Connects this process and a new process by a virtual cable, each in its own network namespace. The new process runs
 * `program` and gets `wish`, the settings of the cable, as its first message. Requires Linux and root.
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

/**
 * Configures the network namespace of the fake game servers. Makes all addresses in `networks` local, so that the
 * servers can use them.
 */
export async function beFarSide(wire: Wire): Promise<void> {
  await ip('link set lo up');
  await ip(`addr add ${wire.address}/30 dev ${wire.interface}`);
  await ip(`link set ${wire.interface} up`);
  for (const network of wire.networks) await ip(`route add local ${network} dev lo`);
}
