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
 * `program`, which calls `beFarSide` and then sends a message when it is ready. Requires Linux and root.
 */
export async function reachFarSide(program: string, wish: Wire): Promise<Child> {
  await enterOwnNetwork();
  const farSide = await Child.start(
    'unshare',
    () => ['--net', process.execPath, ...scriptArguments(program)],
    { ipc: true },
  );
  const ended = farSide.ended.then(() => Promise.reject(new Error(farSide.report)));
  ended.catch(() => {});
  const message = () => Promise.race([once(farSide.process, 'message'), ended]);
  try {
    // Until `unshare` has made the new namespace, the far end of the cable would land in the namespace of this process.
    await message();
    await ip(`link add ${NEAR} type veth peer name ${wish.interface} netns ${farSide.pid}`);
    await ip(`addr add ${wish.peer}/30 dev ${NEAR}`);
    await ip(`link set ${NEAR} up`);
    await ip(`route add default via ${wish.address}`);
    farSide.process.send(wish);
    await message();
    return farSide;
  } catch (error) {
    await farSide.stop('SIGKILL');
    throw error;
  }
}

/**
 * Tells the test that this process runs in its own network namespace, waits for the settings of the virtual cable, and
 * configures the namespace. Makes all addresses in `networks` local, so that fake game servers can use them. Resolves
 * with the settings.
 */
export async function beFarSide<W extends Wire>(): Promise<W> {
  process.on('disconnect', () => process.exit());
  const message = once(process, 'message');
  process.send?.('in its own namespace');
  const [wire] = (await message) as [W];
  await ip('link set lo up');
  await ip(`addr add ${wire.address}/30 dev ${wire.interface}`);
  await ip(`link set ${wire.interface} up`);
  for (const network of wire.networks) await ip(`route add local ${network} dev lo`);
  return wire;
}
