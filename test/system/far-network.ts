import { once } from 'node:events';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from './child.ts';
import { enterOwnNetwork, ip } from './network-namespace.ts';

const NEAR = 'gsqnear';

/** A virtual cable between two networks without other routes. */
export interface Wire {
  /** The far end with its address, and the near end's address. */
  interface: string;
  address: string;
  peer: string;
  /** Networks at the far end, CIDR. */
  networks: string[];
}

/**
 * Moves this process into a network namespace and starts a program in another one, connected by a virtual
 * cable that all packets take. Sends it `wish` first, and resolves with its first message. Requires Linux and
 * root.
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

/** Configures the far end: its interface, and all addresses of its networks. */
export async function beFarSide(wire: Wire): Promise<void> {
  await ip('link set lo up');
  await ip(`addr add ${wire.address}/30 dev ${wire.interface}`);
  await ip(`link set ${wire.interface} up`);
  for (const network of wire.networks) await ip(`route add local ${network} dev lo`);
}
