import { writeFileSync } from 'node:fs';
import { ip } from '../../system/network-namespace.ts';
import type { EngineNode } from '../engine-node.ts';

/** First priority of the routing rules of a partition. */
const FIRST = 10;
/** Routing table and network interface for dropped packets. */
const TABLE = 66;
const NOWHERE = 'nowhere';
/** Priority of the rule that delivers packets to the addresses of this machine. It is 0 in a new network namespace. */
const LOCAL = 100;

/**
 * Prepares partitions. Call it once in a new network namespace (see `enterOwnNetwork`). The rules of a `Partition` come
 * before the delivery of packets, and send packets to an interface that drops them. A route of the type `blackhole` would
 * let connect() fail at once, and Valkey then does not notice that the other node is gone.
 */
export async function allowPartitions(): Promise<void> {
  await ip(`link add ${NOWHERE} type veth peer name other-end`);
  await ip('link set other-end up');
  await ip(`link set ${NOWHERE} arp off up`);
  // Packets from 127.0.0.1 may otherwise not leave the loopback interface, and connect() fails at once.
  writeFileSync(`/proc/sys/net/ipv4/conf/${NOWHERE}/route_localnet`, '1');
  await ip(`route add default dev ${NOWHERE} table ${TABLE}`);
  await ip(`rule add pref ${LOCAL} lookup local`);
  await ip('rule del pref 0');
}

/**
 * A network partition that cuts a node off from all other nodes of its cluster. Clients still reach all nodes, so the
 * cut-off node is the minority side together with its clients. Routing rules drop the packets in both directions, also
 * those of open connections. The cluster needs `ownSources`.
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
    const selectors = [
      `from ${source}`,
      `to ${source}`,
      `ipproto tcp dport ${busPort}`,
      `ipproto tcp sport ${busPort}`,
      // Links of replicas to this node.
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

  /** Ends the partition. */
  async heal(): Promise<void> {
    for (let i = 0; i < this.#rules; i++) await ip(`rule del pref ${FIRST + i}`);
    this.#node.isCutOff = false;
  }
}
