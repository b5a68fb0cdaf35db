import type { EngineNode, SlotRange } from './engine-node.ts';

/** What a node knows about a node of its cluster: one line of CLUSTER NODES. */
interface Member {
  id: string;
  flags: readonly string[];
  /** Id of the master of a replica; `-` for a master. */
  master: string;
  slots: readonly SlotRange[];
}

/** What a node says about itself and its cluster. */
interface View {
  node: EngineNode;
  /** The answer to CLUSTER INFO. */
  cluster: string;
  /** The answer to INFO replication. */
  replication: string;
  members: ReadonlyMap<string, Member>;
}

/** Reads an answer to CLUSTER NODES. */
function membersOf(text: string): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const line of text.trim().split('\n')) {
    const [id = '', , flags = '', master = '', , , , , ...slots] = line.split(' ');
    // A slot that moves to another node has its own entry in brackets.
    const ranges = slots.filter(range => !range.startsWith('[')).map(slotRange);
    members.set(id, { id, flags: flags.split(','), master, slots: ranges });
  }
  return members;
}

function slotRange(text: string): SlotRange {
  const [first = '', last = first] = text.split('-');
  return [Number(first), Number(last)];
}

/** Asks a node for its view. Rejects if the node does not answer. */
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

/** Returns which node owns which slots, in the view of one node. */
const ownersIn = ({ members }: View): string =>
  [...members.values()]
    .filter(({ slots }) => slots.length > 0)
    .map(({ id, slots }) => `${id} ${slots.join(' ')}`)
    .sort()
    .join('\n');

const memberOf = ({ members }: View, { id }: EngineNode): Member | undefined => members.get(id);

/** Returns why the cluster is not settled in the view of one node, or undefined if it is. */
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
 * Asks all live nodes for their views, and updates role, slots and master of the nodes. Returns why the cluster is not
 * settled, or undefined if it is. A cluster is settled if all live nodes say that it is ok and name the same owners of
 * slots, if only live nodes own slots, and if all live replicas are linked to their masters.
 */
export async function clusterFault(nodes: readonly EngineNode[]): Promise<string | undefined> {
  const live = nodes.filter(node => node.live);
  let views: View[];
  try {
    views = await Promise.all(live.map(viewOf));
  } catch (error) {
    return String(error);
  }
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
