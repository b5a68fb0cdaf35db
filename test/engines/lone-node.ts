/** Starts one node of Redis, prints its port, and waits to be killed. */
import { EngineCluster } from './engine-cluster.ts';

const { nodes } = await EngineCluster.startSingle('redis');
process.stdout.write(`${nodes[0]?.port}\n`);
