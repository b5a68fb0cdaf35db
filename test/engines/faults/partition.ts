import { writeFileSync } from 'node:fs';
import { ip } from '../../system/network-namespace.ts';
import type { EngineNode } from '../engine-node.ts';

/** Priority of the first Linux routing rule of a network partition. The next rules have the priorities after it. */
const FIRST = 10;
/** Number of the routing table that leads to the interface NOWHERE, which drops all packets. */
const TABLE = 66;
const NOWHERE = 'nowhere';
/**
 * Priority of the Linux routing rule for local addresses; lower numbers come first. With the default 0, this rule would
 * come before the rules of a network partition, which drop packets.
 */
const LOCAL = 100;

/**
 * Prepares a network namespace for partitions (`Partition`). Call this function once in a new network namespace (see
 * `enterOwnNetwork`). Afterwards, the kernel applies the rules of a `Partition` before it delivers packets.
 */
export async function allowPartitions(): Promise<void> {
  await ip(`link add ${NOWHERE} type veth peer name other-end`);
  await ip('link set other-end up');
  await ip(`link set ${NOWHERE} arp off up`);
  // Without the kernel setting `route_localnet`, packets from 127.0.0.1 cannot be routed to the interface that drops
  // them, and connect() fails immediately.
  writeFileSync(`/proc/sys/net/ipv4/conf/${NOWHERE}/route_localnet`, '1');
  // Drops packets: this route leads to the interface NOWHERE. If the route had the type `blackhole` instead, connect()
  // would fail immediately, and Valkey would not notice that it cannot reach another node.
  await ip(`route add default dev ${NOWHERE} table ${TABLE}`);
  await ip(`rule add pref ${LOCAL} lookup local`);
  await ip('rule del pref 0');
}

/**
 * A network partition that cuts a node off from all other nodes of its cluster. Clients still reach all nodes. The
 * cluster must have been started with the option `ownSources`.
 */
export class Partition {
  readonly #node: EngineNode;
  readonly #rules: number;

  private constructor(node: EngineNode, rules: number) {
    this.#node = node;
    this.#rules = rules;
  }

  static async cutOff(node: EngineNode, nodes: readonly EngineNode[]): Promise<Partition> {
    const { source, port, busPort } = node;
    // Selectors of the routing rules that drop the packets between the cut-off node and the other nodes: both
    // directions, also packets of open connections.
    const selectors = [
      `from ${source}`,
      `to ${source}`,
      `ipproto tcp dport ${busPort}`,
      `ipproto tcp sport ${busPort}`,
      // Drops packets between the port of the cut-off node (`port`) and its replicas.
      ...nodes.flatMap(other => [
        `from ${other.source} ipproto tcp dport ${port}`,
        `to ${other.source} ipproto tcp sport ${port}`,
      ]),
    ];
    for (const [i, selector] of selectors.entries())
      await ip(`rule add pref ${FIRST + i} ${selector} lookup ${TABLE}`);
    node.isCutOff = true;
    return new Partition(node, selectors.length);
  }

  /** Ends the partition, so that the node reaches the other nodes again. */
  async heal(): Promise<void> {
    for (let i = 0; i < this.#rules; i++) await ip(`rule del pref ${FIRST + i}`);
    this.#node.isCutOff = false;
  }
}
