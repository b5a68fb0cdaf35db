import { once } from 'node:events';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from './child.ts';
import { enterOwnNetwork, ip } from './network-namespace.ts';

const NEAR = 'gsqnear';

/** A wire between two networks that lead nowhere else. */
export interface Wire {
  /** The far end, and its address; the near end's address. */
  interface: string;
  address: string;
  peer: string;
  /** Networks at the far end, CIDR. */
  networks: string[];
}

/**
 * Moves this process into a network of its own and starts a program in another, told `wish` first, to which all packets go.
 * Resolves when the program has sent its first message. Takes Linux and root.
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

/** In the program: takes in its end of the wire, and all addresses of its networks. */
export async function beFarSide(wire: Wire): Promise<void> {
  await ip('link set lo up');
  await ip(`addr add ${wire.address}/30 dev ${wire.interface}`);
  await ip(`link set ${wire.interface} up`);
  for (const network of wire.networks) await ip(`route add local ${network} dev lo`);
}
