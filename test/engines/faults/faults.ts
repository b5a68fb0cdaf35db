import { setTimeout as pause } from 'node:timers/promises';
import { slotOfBucket } from '../../../core/store/redis/hash-slots.ts';
import { TABLE_BUCKET, TABLE_KEYS } from '../../../core/store/redis/table-scripts.ts';
import { until } from '../../system/until.ts';
import type { EngineCluster } from '../engine-cluster.ts';
import type { EngineNode } from '../engine-node.ts';
import type { CorePair } from './core-pair.ts';
import { Partition } from './partition.ts';
import { moveSlot } from './slot-migration.ts';

/** Length of a long fault, in milliseconds: it is longer than a lease and than `cluster-node-timeout`. */
const LONG_MS = 9_000;
/** Number of hash slots that one fault moves to other masters. */
const SLOTS_MOVED = 8;
/**
 * A memory limit (maxmemory) in bytes that each node already exceeds. With the limit 0 (ROOM), memory is not limited.
 */
const FULL = '1';
const ROOM = '0';

/** The storage engine and the cores in which a fault is caused. */
export interface Scene {
  cluster: EngineCluster;
  cores: CorePair;
  random: (below: number) => number;
  /** False if the process is not in a network namespace of its own. Then `partition` is not possible. */
  canPartition: boolean;
}

/** Causes a fault and ends its cause: starts killed nodes, continues stopped processes, and so on. */
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

/**
 * Waits for a random time between cause and end of a fault, so that the fault is sometimes shorter and sometimes longer
 * than a failover.
 */
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

/** Kills a node and starts it again at once, before another node notices that it was down. */
async function restartMaster(scene: Scene): Promise<void> {
  const master = aMaster(scene);
  await scene.cluster.kill(master);
  await master.start();
}

async function pauseMaster(scene: Scene): Promise<void> {
  const master = aMaster(scene);
  scene.cluster.pause(master);
  await Promise.all([pause(LONG_MS), scene.cluster.settled()]);
  scene.cluster.resume(master);
}

async function pauseReplica(scene: Scene): Promise<void> {
  const replica = aReplica(scene);
  scene.cluster.pause(replica);
  await pause(LONG_MS);
  scene.cluster.resume(replica);
}

async function killOwner({ cores }: Scene): Promise<void> {
  const { owner } = cores;
  await cores.killOwner();
  await cores.tookOver(owner);
}

/**
 * Kills the owner and a master at the same time. The newest table of owners can be lost with the master, so the next
 * owner can get the same epoch.
 */
async function killOwnerAndMaster(scene: Scene): Promise<void> {
  const { cluster, cores } = scene;
  const { owner } = cores;
  const master = scene.random(2) === 0 ? aMaster(scene) : cluster.ownerOf(slotOfBucket(TABLE_BUCKET));
  await Promise.all([cluster.kill(master), cores.killOwner()]);
  await cluster.settled();
  await master.start();
  await cores.tookOver(owner);
}

/**
 * Deletes the table of owners, as if a failover had lost it. For up to a second, two cores then believe that they own
 * the same buckets.
 */
async function loseTable({ cluster, cores }: Scene): Promise<void> {
  const { owner } = cores;
  cores.expectEnding();
  await cluster.ownerOf(slotOfBucket(TABLE_BUCKET)).command('DEL', ...TABLE_KEYS);
  await cores.tookOver(owner);
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
  const { cluster, cores } = scene;
  const limit = (bytes: string) =>
    Promise.all(cluster.nodes.map(node => node.command('CONFIG', 'SET', 'maxmemory', bytes)));
  await limit(FULL);
  const refuses = () => cores.owner.metric('gsq_store_writable').catch(() => 1);
  await until('a core that refuses writes', refuses, value => value === 0);
  await holdFor(scene);
  await limit(ROOM);
}

async function restartEngine({ cluster }: Scene): Promise<void> {
  await Promise.all(cluster.nodes.map(node => node.kill()));
  await Promise.all(cluster.nodes.map(node => node.start()));
}

/** All faults that a campaign can cause, keyed by the names that its report shows. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map([
  ['a master is killed', killMaster],
  ['a master is killed and starts at once', restartMaster],
  ['a replica is killed', killReplica],
  ['a master stands still', pauseMaster],
  ['a replica stands still', pauseReplica],
  ['a master is cut off from the other nodes', partition],
  ['the whole engine is killed', restartEngine],
  ['the engine is full', fillMemory],
  ['slots move to other masters', moveSlots],
  ['the owner is killed', killOwner],
  ['the owner stands still', ({ cores }: Scene) => cores.pauseOwner()],
  ['the standby is killed', ({ cores }: Scene) => cores.killStandby()],
  ['the owner and a master are killed', killOwnerAndMaster],
  ['the engine loses the table of owners', loseTable],
]);
