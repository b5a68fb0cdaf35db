import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../runtime/log.ts';
import { ALL_BUCKETS } from '../../cluster/buckets.ts';
import { RENEW_MS } from '../../cluster/member-lease.ts';
import {
  type Claim,
  type ListedMember,
  type MemberState,
  NO_OWNER,
  type OwnedBucket,
  type OwnersView,
  type OwnerTable,
  type Renewal,
  StoreInUse,
  type WriteHold,
} from '../../cluster/owner-table.ts';
import type { Member } from '../../cluster/ownership.ts';
import { type MovedStore, StoreMoved } from '../migration-marker.ts';
import { type BucketCall, BucketCalls } from './bucket-calls.ts';
import { connectionOptions } from './connection-options.ts';
import type { Reply } from './engine-connection.ts';
import { EngineNodes } from './engine-nodes.ts';
import type { EngineUrl } from './engine-url.ts';
import { epochOf } from './fence.ts';
import { isTemporary, NotConfirmed } from './repetition.ts';
import type { Script } from './scripts.ts';
import {
  CLAIM_SCRIPT,
  END_HOLD_SCRIPT,
  END_LEASE_SCRIPT,
  GIVE_SCRIPT,
  HOLD_SCRIPT,
  MOVE_SCRIPT,
  READ_MOVED_SCRIPT,
  RENEW_SCRIPT,
  TABLE_BUCKET,
  TABLE_KEYS,
  UNMOVE_SCRIPT,
} from './table-scripts.ts';

/**
 * Result of `EngineOwnerTable.hold` if the hold had already ended before the call. A hold is a pause in the writes of
 * all cores.
 */
export const HOLD_OVER = 'over';

/**
 * Longest time that a change of the table of owners waits for the replicas, ms. After a failover, there may be no
 * replica that confirms the change. The wait is short, so that the lease of this core does not end during the wait.
 */
const WAIT_MS = 200;
/**
 * If a node does not answer for this time (ms), this core asks another node for the current master. The time is longer
 * than WAIT_MS, because a working master answers only after it has waited for its replicas.
 */
const LOOK_MS = 250;

/** The table of owners in the storage engine (Redis or Valkey). Times are measured by the clock of the engine. */
export class EngineOwnerTable implements OwnerTable {
  readonly #self: Member;
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;

  /** `self`: this process as a member of the cluster. Neither its id nor its address contains a space. */
  constructor(url: EngineUrl, self: Member, log: Logger) {
    this.#self = self;
    // Opens connections of its own for the table of owners. On the connections of the store, a WAIT command can block
    // all other calls for a second.
    this.#nodes = new EngineNodes({ seeds: url.seeds, options: connectionOptions(url), log });
    const durability = () => ({
      replicas: url.replicas ?? (this.#nodes.isCluster ? 1 : 0),
      aof: url.aof,
      waitMs: WAIT_MS,
    });
    this.#calls = new BucketCalls(this.#nodes, durability, LOOK_MS);
  }

  async renew(state: MemberState, known: string, stopped: string): Promise<Renewal> {
    const parameters = [state, this.#self.address, known, stopped];
    const call = this.#call(RENEW_SCRIPT, parameters, true);
    const isConfirmed = await this.#runUnconfirmed(call);
    if (!Array.isArray(call.reply)) throw new StoreInUse(String(call.reply));
    if (call.reply.length === 1) throw new StoreMoved(movedOf(call.reply[0]) ?? NOWHERE);
    const [version, otherEnds, held, moved, members, owners] = call.reply as Reply[];
    const otherEndsMs = Number(otherEnds) < 0 ? Number.POSITIVE_INFINITY : Number(otherEnds);
    const view =
      members === undefined ? undefined : viewOf(String(version), asTexts(members), asTexts(owners));
    return { isConfirmed, otherEndsMs, hold: holdOf(String(held), movedOf(moved)), view };
  }

  async claim(buckets: readonly number[], above: number): Promise<Claim> {
    const call = this.#call(CLAIM_SCRIPT, [String(above), ...buckets.map(String)], true);
    await this.#runUnconfirmed(call);
    const [epoch, claimed] = call.reply as Reply[];
    return { epoch: Number(epoch), buckets: asTexts(claimed).map(Number) };
  }

  /**
   * Gives up buckets (groups of servers), so that other cores can own them. Need not wait until the replicas have this
   * change, because the next owner waits for the replicas when it claims the buckets.
   */
  async give(owned: readonly OwnedBucket[]): Promise<void> {
    const pairs = owned.flatMap(({ bucket, epoch }) => [String(bucket), String(epoch)]);
    await this.#run(this.#call(GIVE_SCRIPT, pairs, false));
  }

  async endLease(id: string): Promise<void> {
    await this.#run(this.#call(END_LEASE_SCRIPT, [id], false));
  }

  /**
   * Begins or extends a hold, during which no core writes. `lastsMs`: time until the hold ends, ms, at most
   * HOLD_MS. `isFirst`: true for the call that begins the hold.
   *
   * Resolves to:
   *
   * - undefined: all cores have stopped their writes.
   * - A text that describes what is missing: which cores still write, or how many buckets have no core.
   * - The constant HOLD_OVER: the hold ended before this call.
   *
   * Rejects with StoreInUse if another process migrates the store.
   */
  async hold(lastsMs: number, isFirst: boolean): Promise<string | undefined> {
    const parameters = [String(lastsMs), String(ALL_BUCKETS), isFirst ? 'first' : ''];
    const call = this.#call(HOLD_SCRIPT, parameters, true);
    await this.#run(call);
    if (!Array.isArray(call.reply)) throw new StoreInUse(String(call.reply));
    const [unowned, waiting] = call.reply as Reply[];
    if (unowned === undefined) return HOLD_OVER;
    const members = asTexts(waiting);
    if (members.length > 0) return `these cores have not stopped writing: ${members.join(', ')}`;
    return Number(unowned) > 0 ? `${unowned} of ${ALL_BUCKETS} buckets have no core` : undefined;
  }

  /**
   * Ends the pause of all writes that this process (`gsq migrate`) has started with `hold`. All cores can write again.
   */
  async endHold(): Promise<void> {
    await this.#run(this.#call(END_HOLD_SCRIPT, [], true));
  }

  /**
   * Marks the store as moved, so that no core can use it any more. Before this call, the process must stop all writes
   * with `hold`, or it must be the only user of the store. Otherwise the method changes nothing and resolves to false.
   */
  async move(moved: MovedStore): Promise<boolean> {
    const call = this.#call(MOVE_SCRIPT, [JSON.stringify(moved)], true);
    await this.#run(call);
    return Number(call.reply) === 1;
  }

  /** Deletes the note that the data was moved to another store. Cores can then use this store again. */
  async unmove(): Promise<void> {
    await this.#run(this.#call(UNMOVE_SCRIPT, [], true));
  }

  /** Resolves to the store to which the data was moved; undefined if the data was not moved. */
  async moved(): Promise<MovedStore | undefined> {
    const call = this.#call(READ_MOVED_SCRIPT, [], false);
    await this.#run(call);
    return movedOf(call.reply);
  }

  /** Closes the connections to the storage engine. */
  close(): void {
    this.#nodes.close();
  }

  #call({ sha }: Script, parameters: readonly string[], isDurable: boolean): BucketCall {
    const stamp = randomBytes(4).toString('hex');
    const keys = [String(TABLE_KEYS.length), ...TABLE_KEYS];
    return {
      bucket: TABLE_BUCKET,
      command: ['EVALSHA', sha, ...keys, this.#self.id, stamp, ...parameters],
      isDurable,
    };
  }

  /**
   * Changes the table of owners. Resolves to true if the replicas have confirmed the change, and to false if only the
   * master has made it.
   */
  async #runUnconfirmed(call: BucketCall): Promise<boolean> {
    try {
      await this.#run(call, performance.now()).catch((error: unknown) => {
        // Repeats the call after a temporary error, but not after NotConfirmed: in this case, the master has made the
        // change, and only the confirmation of the replicas is missing. A second wait for the replicas could delay the
        // next renewal of this core's lease.
        if (error instanceof NotConfirmed || !isTemporary(error)) throw error;
        return this.#run(call);
      });
      return true;
    } catch (error) {
      if (!(error instanceof NotConfirmed)) throw error;
      return false;
    }
  }

  /**
   * Sends a call to the node that stores the table of owners. If the call fails temporarily, repeats it until `until`
   * (time of performance.now()).
   */
  async #run(call: BucketCall, until = performance.now() + RENEW_MS): Promise<void> {
    if (this.#nodes.masterOf(TABLE_BUCKET) === undefined) await this.#nodes.refresh();
    await this.#calls.run([call], until);
  }
}

const NOWHERE: MovedStore = { target: 'an unknown store', id: '' };

/**
 * Parses the field `moved` of the table of owners, which says to which store the data was moved. Returns undefined if
 * the field is empty.
 */
function movedOf(reply: Reply | undefined): MovedStore | undefined {
  const text = String(reply ?? '');
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as MovedStore;
  } catch {
    return NOWHERE;
  }
}

function holdOf(held: string, moved: MovedStore | undefined): WriteHold | undefined {
  if (moved) return { kind: 'moved', target: moved.target };
  return held === '' ? undefined : { kind: 'held', id: held };
}

function viewOf(version: string, members: readonly string[], table: readonly string[]): OwnersView {
  const listed: ListedMember[] = [];
  for (let i = 0; i + 1 < members.length; i += 2) {
    const [state = '', address = ''] = (members[i + 1] ?? '').split(' ');
    listed.push({ id: members[i] ?? '', address, state: state as MemberState });
  }
  const indexes = new Map(listed.map(({ id }, index) => [id, index]));
  const owners = new Array<number>(ALL_BUCKETS).fill(NO_OWNER);
  const epochs = new Array<number>(ALL_BUCKETS).fill(0);
  for (let i = 0; i + 1 < table.length; i += 2) {
    const bucket = Number(table[i]);
    const entry = table[i + 1] ?? '';
    epochs[bucket] = epochOf(entry) ?? 0;
    owners[bucket] = indexes.get(entry.slice(entry.indexOf(' ') + 1)) ?? NO_OWNER;
  }
  return { version, members: listed, owners, epochs };
}

function asTexts(reply: Reply | undefined): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}
