import type { Reply } from './engine-connection.ts';
import { type NodeAddress, showAddress } from './engine-url.ts';
import { SLOTS } from './hash-slots.ts';

/** The nodes of a storage engine, and the master of each hash slot. */
export interface Topology {
  isCluster: boolean;
  /** Address (`host:port`) of the master of each hash slot. Undefined if the cluster has no master for the slot. */
  masters: (string | undefined)[];
  /** All nodes of the storage engine, masters and replicas, keyed by address (`host:port`). */
  nodes: Map<string, NodeAddress>;
}

/**
 * Reads the topology from the reply to the command CLUSTER SLOTS. `asked`: the node that sent the reply. If the reply
 * contains no host name for a node, the node gets the host of `asked`.
 */
export function readSlots(reply: Reply, asked: NodeAddress): Topology {
  const topology: Topology = { isCluster: true, masters: new Array(SLOTS), nodes: new Map() };
  for (const range of asList(reply)) {
    const [first, last, ...nodes] = asList(range);
    const [master] = nodes.map(node => {
      const [host, port] = asList(node);
      const address = { host: hostOf(host, asked), port: Number(port) };
      topology.nodes.set(showAddress(address), address);
      return showAddress(address);
    });
    topology.masters.fill(master, Number(first), Number(last) + 1);
  }
  return topology;
}

/** Returns the topology of a single node without cluster mode. The node has all hash slots. */
export function singleNode(address: NodeAddress): Topology {
  const shown = showAddress(address);
  return { isCluster: false, masters: new Array(SLOTS).fill(shown), nodes: new Map([[shown, address]]) };
}

/** The content of a MOVED or ASK error of a cluster node: a hash slot, and the node that has this slot. */
export interface Redirect {
  slot: number;
  address: NodeAddress;
}

/**
 * Parses the message of a MOVED or ASK error. `asked`: the node that sent the error. Returns undefined if the message
 * has a different form.
 */
export function readRedirect(message: string, asked: NodeAddress): Redirect | undefined {
  const [, slot, host, port] = /^(?:MOVED|ASK) (\d+) (\S*):(\d+)/.exec(message) ?? [];
  if (slot === undefined || port === undefined) return undefined;
  return { slot: Number(slot), address: { host: hostOf(host, asked), port: Number(port) } };
}

function hostOf(host: unknown, asked: NodeAddress): string {
  const text = host === undefined || host === null ? '' : String(host);
  return text === '' || text === '?' ? asked.host : text;
}

function asList(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}
