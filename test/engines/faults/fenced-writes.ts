import type { EngineCluster } from '../engine-cluster.ts';
import type { EngineNode } from '../engine-node.ts';

/**
 * Counts the writes that the nodes of an engine refused because of a fence. The metric of a core is not enough: the core
 * that gets such a refusal ends at once.
 */
export class FencedWrites {
  /** Sum of the counts that nodes had before they restarted, because a restarted node counts from 0 again. */
  #earlier = 0;
  readonly #counts = new Map<EngineNode, number>();

  /** Reads how many writes each live node has refused because of a fence. Call it before nodes are killed. */
  async read(cluster: EngineCluster): Promise<void> {
    const live = cluster.nodes.filter(node => node.live);
    await Promise.all(
      live.map(async node => {
        const info = String(await node.command('INFO', 'errorstats'));
        const count = Number(/errorstat_FENCED:count=(\d+)/.exec(info)?.[1] ?? 0);
        const before = this.#counts.get(node) ?? 0;
        if (count < before) this.#earlier += before;
        this.#counts.set(node, count);
      }),
    );
  }

  /**
   * The number of writes, each to one bucket, that all nodes have refused because of a fence, as of the last `read`.
   */
  get total(): number {
    let sum = this.#earlier;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }
}
