import type { EngineCluster } from '../engine-cluster.ts';
import type { EngineNode } from '../engine-node.ts';

/**
 * Counts the writes that the nodes of Redis or Valkey refused because another core owned the bucket (group of servers).
 * The metrics of the cores cannot show this number, because a core ends immediately after a refused write.
 */
export class FencedWrites {
  /** Sum of the refused writes that nodes had counted before they restarted. A restarted node counts from 0 again. */
  #earlier = 0;
  readonly #counts = new Map<EngineNode, number>();

  /**
   * Reads from each running node how many writes it has refused because another core owned the bucket of data. Call
   * this method before a test kills nodes, because a killed node loses its count.
   */
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
   * Number of writes that the nodes have refused because another core owned the bucket of data. Only `read` updates
   * this number. A refused write to several buckets counts once for each bucket.
   */
  get total(): number {
    let sum = this.#earlier;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }
}
