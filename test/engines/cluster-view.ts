import type { EngineNode, SlotRange } from './engine-node.ts';

/** What one node of a cluster knows about another node or itself: one line of the reply to CLUSTER NODES. */
interface Member {
  id: string;
  flags: readonly string[];
  /** If the node is a replica: the id of its master. `-` for a master. */
  master: string;
  slots: readonly SlotRange[];
}

/** What one node of a Redis or Valkey cluster says about itself and its cluster. */
interface View {
  node: EngineNode;
  /** The reply of the node to CLUSTER INFO. */
  cluster: string;
  /** The reply of the node to INFO replication. */
  replication: string;
  members: ReadonlyMap<string, Member>;
}

/** Parses a reply to CLUSTER NODES. Returns the nodes of the cluster, keyed by id. */
function membersOf(text: string): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const line of text.trim().split('\n')) {
    const [id = '', , flags = '', master = '', , , , , ...slots] = line.split(' ');
    // Skips the entries in brackets. In the reply to CLUSTER NODES, they describe hash slots that are moving to another
    // node.
    const ranges = slots.filter(range => !range.startsWith('[')).map(slotRange);
    members.set(id, { id, flags: flags.split(','), master, slots: ranges });
  }
  return members;
}

function slotRange(text: string): SlotRange {
  const [first = '', last = first] = text.split('-');
  return [Number(first), Number(last)];
}

/** Asks a node what it knows about its cluster. Rejects if the node does not answer. */
async function viewOf(node: EngineNode): Promise<View> {
  const [cluster, members, replication] = await node.commands(
    ['CLUSTER', 'INFO'],
    ['CLUSTER', 'NODES'],
    ['INFO', 'replication'],
  );
  return {
    node,
    cluster: String(cluster),
    replication: String(replication),
    members: membersOf(String(members)),
  };
}

/** Returns the hash slots of each node as text, as one node of the cluster sees them. */
const ownersIn = ({ members }: View): string =>
  [...members.values()]
    .filter(({ slots }) => slots.length > 0)
    .map(({ id, slots }) => `${id} ${slots.join(' ')}`)
    .sort()
    .join('\n');

const memberOf = ({ members }: View, { id }: EngineNode): Member | undefined => members.get(id);

/**
 * Returns the first problem of the cluster that the node of `view` sees, as text. Undefined if the node sees no
 * problem.
 */
function faultIn(view: View, views: readonly View[]): string | undefined {
  const { node, cluster, replication } = view;
  if (!cluster.includes('cluster_state:ok')) return `${node.port} says that the cluster is not ok`;
  if (ownersIn(view) !== ownersIn(views[0] ?? view)) return `${node.port} names other owners of slots`;
  for (const other of views) {
    const member = memberOf(view, other.node);
    const own = memberOf(other, other.node);
    const reachable = member && !member.flags.some(flag => /^(?:fail|handshake|noaddr)/.test(flag));
    if (!reachable || !own) return `${node.port} does not reach ${other.node.port}`;
    if (member.master !== own.master) return `${node.port} names another master of ${other.node.port}`;
  }
  if (memberOf(view, node)?.flags.includes('slave')) {
    return replication.includes('master_link_status:up') ? undefined : `the replica ${node.port} has no link`;
  }
  const replicas = views.filter(other => memberOf(other, other.node)?.master === node.id).length;
  const linked = replication.match(/state=online/g)?.length ?? 0;
  return linked === replicas ? undefined : `${node.port} has ${linked} of ${replicas} replicas`;
}

/**
 * Asks the live nodes whether the cluster is settled: all nodes agree on the owners of the hash slots, and all replicas
 * are linked. If it is not settled, returns the reason. Otherwise, updates `role`, `slots` and `master` of all nodes,
 * and returns undefined.
 */
export async function clusterFault(nodes: readonly EngineNode[]): Promise<string | undefined> {
  const live = nodes.filter(node => node.live);
  let views: View[];
  try {
    views = await Promise.all(live.map(viewOf));
  } catch (error) {
    return String(error);
  }
  // The cluster is settled if all nodes agree on the live owner of each hash slot, and each replica is linked to its
  // master.
  for (const view of views) {
    const fault = faultIn(view, views);
    if (fault !== undefined) return fault;
  }
  const [view] = views;
  if (!view) return 'no node lives';
  const owner = nodes.find(node => !node.live && memberOf(view, node)?.slots.length);
  if (owner) return `${owner.port} owns slots and does not live`;
  for (const node of nodes) update(node, memberOf(view, node), nodes);
  return undefined;
}

function update(node: EngineNode, member: Member | undefined, nodes: readonly EngineNode[]): void {
  if (!member) return;
  node.role = member.flags.includes('slave') ? 'replica' : 'master';
  node.slots = member.slots;
  node.master = nodes.find(({ id }) => id === member.master);
}
