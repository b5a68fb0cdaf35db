import { setTimeout as pause } from 'node:timers/promises';
import { slotOfBucket } from '../../../core/store/redis/hash-slots.ts';
import { TABLE_BUCKET, TABLE_KEYS } from '../../../core/store/redis/table-scripts.ts';
import { until } from '../../system/until.ts';
import type { EngineCluster } from '../engine-cluster.ts';
import type { EngineNode } from '../engine-node.ts';
import type { CoreSeat, Fleet } from './fleet.ts';
import { Partition } from './partition.ts';
import type { Seat } from './seat.ts';
import { moveSlot } from './slot-migration.ts';

/**
 * Maximum duration of a long fault, in milliseconds. It is longer than the lease of a core and the
 * `cluster-node-timeout` of the nodes.
 */
const LONG_MS = 9_000;
/** Maximum duration of a short fault, in milliseconds. It is shorter than the lease of a core. */
const SHORT_MS = 4_000;
/** Number of hash slots that move to other masters during one of the faults. */
const SLOTS_MOVED = 8;
/**
 * Memory limits (maxmemory) of a node, in bytes. FULL is one byte: the node always uses more, so it refuses writes.
 * ROOM means no limit.
 */
const FULL = '1';
const ROOM = '0';

/** What a fault can hit: the storage engine and the processes of gsq. */
export interface Scene {
  cluster: EngineCluster;
  fleet: Fleet;
  random: (below: number) => number;
  /** A fault that affects cores calls this function before it begins. `victims`: the affected cores. */
  strike(victims: readonly CoreSeat[]): void;
}

/**
 * Causes a fault and later undoes it, for example kills a node and starts it again. Resolves when the fault is over and
 * all gsq processes may run again.
 */
export type Fault = (scene: Scene) => Promise<void>;

function pick<T>(from: readonly T[], random: (below: number) => number): T {
  const picked = from[random(from.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

const aMaster = ({ cluster, random }: Scene): EngineNode => pick(cluster.masters, random);

const aReplica = ({ cluster, random }: Scene): EngineNode =>
  pick(
    cluster.nodes.filter(({ role }) => role === 'replica'),
    random,
  );

/** Lets a fault last for a random time, which is sometimes shorter and sometimes longer than a failover. */
const holdFor = ({ random }: Scene): Promise<void> => pause(random(LONG_MS / 2));

async function killMaster(scene: Scene): Promise<void> {
  const master = aMaster(scene);
  await scene.cluster.kill(master);
  await scene.cluster.settled();
  await master.start();
}

async function killReplica(scene: Scene): Promise<void> {
  const replica = aReplica(scene);
  await scene.cluster.kill(replica);
  await holdFor(scene);
  await replica.start();
}

/** Kills a master and immediately starts it again, before another node notices that the master was down. */
async function restartMaster(scene: Scene): Promise<void> {
  const master = aMaster(scene);
  await scene.cluster.kill(master);
  await master.start();
}

async function pauseMaster(scene: Scene): Promise<void> {
  const master = aMaster(scene);
  scene.cluster.pause(master);
  await scene.cluster.settled();
  await holdFor(scene);
  scene.cluster.resume(master);
}

async function pauseReplica(scene: Scene): Promise<void> {
  const replica = aReplica(scene);
  scene.cluster.pause(replica);
  await pause(scene.random(LONG_MS));
  scene.cluster.resume(replica);
}

/** Picks a random core for a fault. Returns this core and the remaining cores. */
function aCore({ fleet, random, strike }: Scene): { core: CoreSeat; others: CoreSeat[] } {
  const core = pick(fleet.cores, random);
  strike([core]);
  return { core, others: fleet.cores.filter(other => other !== core) };
}

const aGateway = ({ fleet, random }: Scene): Seat => pick(fleet.gateways, random).seat;

const aProber = ({ fleet, random }: Scene): Seat => pick(fleet.probers, random);

/**
 * Ends a core and starts it again. In half of the cases, starts it only when other cores own all its buckets (groups
 * of servers).
 */
async function endCore(scene: Scene, end: (seat: Seat) => Promise<void>): Promise<void> {
  const { core, others } = aCore(scene);
  const release = core.seat.hold();
  try {
    await end(core.seat);
    if (scene.random(2) === 0) await scene.fleet.shared(others);
  } finally {
    release();
  }
}

/**
 * Pauses a core process (SIGSTOP), and continues it (SIGCONT). The pause is either shorter than the lease of the core,
 * or lasts until other cores own all its buckets of data.
 */
async function pauseCore(scene: Scene): Promise<void> {
  const { core, others } = aCore(scene);
  const isShort = scene.random(2) === 0;
  core.seat.pause();
  try {
    if (isShort) await pause(scene.random(SHORT_MS));
    else await scene.fleet.shared(others);
  } finally {
    core.seat.resume();
  }
  // After a long pause, the core must notice that it has lost its buckets of data, and must end.
  if (!isShort) await core.seat.lostBuckets();
}

/** Kills a gateway and a prober at the same time. They do not depend on each other, so one fault can test both. */
async function killOthers(scene: Scene): Promise<void> {
  const seats = [aGateway(scene), aProber(scene)];
  const releases = seats.map(seat => seat.hold());
  await Promise.all(seats.map(seat => seat.kill()));
  await pause(scene.random(SHORT_MS));
  for (const release of releases) release();
}

/** Stops the processes of a gateway and a prober for a time (SIGSTOP), and continues them. */
async function pauseOthers(scene: Scene): Promise<void> {
  const seats = [aGateway(scene), aProber(scene)];
  for (const seat of seats) seat.pause();
  await pause(scene.random(LONG_MS));
  for (const seat of seats) seat.resume();
}

/**
 * Deletes the table that says which core owns which bucket of data, as if a failover of the storage engine had lost it.
 * All cores then lose their buckets and end.
 */
async function loseTable({ cluster, fleet, strike }: Scene): Promise<void> {
  strike(fleet.cores);
  await cluster.ownerOf(slotOfBucket(TABLE_BUCKET)).command('DEL', ...TABLE_KEYS);
}

/**
 * Kills a core and a master of the storage engine at the same time. If the master has not yet copied its newest changes
 * to a replica, these changes are lost. A new owner of a bucket of data can then get the same epoch (ownership number)
 * as an earlier owner.
 */
async function killCoreAndMaster(scene: Scene): Promise<void> {
  const { cluster, random } = scene;
  const { core } = aCore(scene);
  const master = random(2) === 0 ? aMaster(scene) : cluster.ownerOf(slotOfBucket(TABLE_BUCKET));
  await Promise.all([cluster.kill(master), core.seat.kill()]);
  await cluster.settled();
  await master.start();
}

async function partition(scene: Scene): Promise<void> {
  const { cluster } = scene;
  const cut = await Partition.cutOff(aMaster(scene), cluster.nodes);
  try {
    await cluster.settled();
    await pause(scene.random(LONG_MS / 3));
  } finally {
    await cut.heal();
  }
}

async function moveSlots({ cluster, random }: Scene): Promise<void> {
  for (let i = 0; i < SLOTS_MOVED; i++) {
    const slot = slotOfBucket(i === 0 ? TABLE_BUCKET : random(4096));
    const from = cluster.ownerOf(slot);
    await moveSlot(
      cluster,
      slot,
      pick(
        cluster.masters.filter(node => node !== from),
        random,
      ),
    );
    await cluster.settled();
  }
}

async function fillMemory(scene: Scene): Promise<void> {
  const { cluster, fleet } = scene;
  const limit = (bytes: string) =>
    Promise.all(cluster.nodes.map(node => node.command('CONFIG', 'SET', 'maxmemory', bytes)));
  await limit(FULL);
  const refuses = async () => (await Promise.all(fleet.cores.map(isWritable))).every(writable => !writable);
  await until('cores that refuse writes', refuses, found => found);
  await holdFor(scene);
  await limit(ROOM);
}

async function isWritable({ seat }: CoreSeat): Promise<boolean> {
  const metrics = await fetch(`http://${seat.process.address('GSQ_CORE_OPS_ADDR')}/metrics`);
  return /^gsq_store_writable 1$/m.test(await metrics.text());
}

async function restartEngine({ cluster }: Scene): Promise<void> {
  await Promise.all(cluster.nodes.map(node => node.kill()));
  await Promise.all(cluster.nodes.map(node => node.start()));
}

/** All faults that the test can cause. The keys are the names of the faults in the output of the test. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  ['a master is killed', killMaster],
  ['a master is killed and starts at once', restartMaster],
  ['a replica is killed', killReplica],
  ['a master stands still', pauseMaster],
  ['a replica stands still', pauseReplica],
  ['a master is cut off from the other nodes', partition],
  ['the whole engine is killed', restartEngine],
  ['the engine is full', fillMemory],
  ['slots move to other masters', moveSlots],
  ['a core is killed', scene => endCore(scene, seat => seat.kill())],
  ['a core is stopped with SIGTERM', scene => endCore(scene, seat => seat.terminate())],
  ['a core stands still', pauseCore],
  ['a core and a master are killed', killCoreAndMaster],
  ['a gateway and a prober are killed', killOthers],
  ['a gateway and a prober stand still', pauseOthers],
  ['the engine loses the table of owners', loseTable],
]);
