/** Starts a single Redis node, prints its port, and runs until a test kills this process. */
import { EngineCluster } from './engine-cluster.ts';

const { nodes } = await EngineCluster.startSingle('redis');
process.stdout.write(`${nodes[0]?.port}\n`);
