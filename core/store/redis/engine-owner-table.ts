import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../runtime/log.ts';
import { ALL_BUCKETS } from '../../cluster/buckets.ts';
import { LEASE_MS, RENEW_MS } from '../../cluster/member-lease.ts';
import {
  type Claim,
  type ListedMember,
  type MemberState,
  type OwnedBucket,
  type OwnersView,
  type OwnerTable,
  type Renewal,
  StoreInUse,
} from '../../cluster/owner-table.ts';
import type { Member } from '../../cluster/ownership.ts';
import { type BucketCall, BucketCalls, NotConfirmed } from './bucket-calls.ts';
import { connectionOptions } from './connection-options.ts';
import type { Reply } from './engine-connection.ts';
import { EngineNodes } from './engine-nodes.ts';
import type { EngineUrl } from './engine-url.ts';
import { epochOf } from './fence.ts';
import type { Script } from './scripts.ts';
import {
  CLAIM_SCRIPT,
  GIVE_SCRIPT,
  LEAVE_SCRIPT,
  RENEW_SCRIPT,
  TABLE_BUCKET,
  TABLE_KEYS,
} from './table-scripts.ts';

/** The table of owners in the storage engine (Redis or Valkey). Times are measured by the clock of the engine. */
export class EngineOwnerTable implements OwnerTable {
  readonly #self: Member;
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;

  /** `self`: this member. Neither its id nor its address contains a space. */
  constructor(url: EngineUrl, self: Member, log: Logger) {
    this.#self = self;
    // The table has connections of its own, because a WAIT command of the store can block a connection for a second.
    this.#nodes = new EngineNodes({ seeds: url.seeds, options: connectionOptions(url), log });
    this.#calls = new BucketCalls(this.#nodes, () => ({
      replicas: url.replicas ?? (this.#nodes.isCluster ? 1 : 0),
      aof: url.aof,
    }));
  }

  async renew(state: MemberState, known: string): Promise<Renewal> {
    const call = this.#call(RENEW_SCRIPT, [String(LEASE_MS), state, this.#self.address, known], true);
    let isConfirmed = true;
    try {
      await this.#run(call);
    } catch (error) {
      if (!(error instanceof NotConfirmed)) throw error;
      isConfirmed = false;
    }
    if (!Array.isArray(call.reply)) throw new StoreInUse(String(call.reply));
    const [version, otherEnds, members, owners] = call.reply as Reply[];
    const otherEndsMs = Number(otherEnds) < 0 ? Number.POSITIVE_INFINITY : Number(otherEnds);
    const view =
      members === undefined ? undefined : viewOf(String(version), asTexts(members), asTexts(owners));
    return { isConfirmed, otherEndsMs, view };
  }

  async claim(buckets: readonly number[], above: number): Promise<Claim> {
    const call = this.#call(CLAIM_SCRIPT, [String(above), ...buckets.map(String)], true);
    await this.#run(call);
    const [epoch, claimed] = call.reply as Reply[];
    return { epoch: Number(epoch), buckets: asTexts(claimed).map(Number) };
  }

  /** Frees buckets. Does not wait for replicas, because the claim of the next owner waits for them. */
  async give(owned: readonly OwnedBucket[]): Promise<void> {
    const pairs = owned.flatMap(({ bucket, epoch }) => [String(bucket), String(epoch)]);
    await this.#run(this.#call(GIVE_SCRIPT, pairs, false));
  }

  async leave(): Promise<void> {
    await this.#run(this.#call(LEAVE_SCRIPT, [], false));
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

  async #run(call: BucketCall): Promise<void> {
    const until = performance.now() + RENEW_MS;
    if (this.#nodes.masterOf(TABLE_BUCKET) === undefined) await this.#nodes.refresh();
    await this.#calls.run([call], until);
  }
}

function viewOf(version: string, members: readonly string[], table: readonly string[]): OwnersView {
  const listed = new Map<string, ListedMember>();
  for (let i = 0; i + 1 < members.length; i += 2) {
    const id = members[i] ?? '';
    const [state = '', address = ''] = (members[i + 1] ?? '').split(' ');
    listed.set(id, { id, address, state: state as MemberState });
  }
  const owners = new Array<string | undefined>(ALL_BUCKETS).fill(undefined);
  const epochs = new Array<number>(ALL_BUCKETS).fill(0);
  for (let i = 0; i + 1 < table.length; i += 2) {
    const bucket = Number(table[i]);
    const entry = table[i + 1] ?? '';
    // The id of the member in the map is used, so that all equal ids are the same text in memory.
    const owner = listed.get(entry.slice(entry.indexOf(' ') + 1));
    epochs[bucket] = epochOf(entry) ?? 0;
    owners[bucket] = owner?.id;
  }
  return { version, members: [...listed.values()], owners, epochs };
}

function asTexts(reply: Reply | undefined): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}
