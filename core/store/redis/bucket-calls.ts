import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionLost, type EngineConnection, EngineReplyError, type Reply } from './engine-connection.ts';
import type { EngineNodes } from './engine-nodes.ts';
import { type NodeAddress, showAddress } from './engine-url.ts';
import { epochOf } from './fence.ts';
import { FENCED } from './scripts.ts';
import { readRedirect } from './topology.ts';

/** A command on the keys of one bucket. */
export interface BucketCall {
  readonly bucket: number;
  readonly command: readonly (string | Buffer)[];
  /** True if the reply counts only after replicas have confirmed the write. */
  readonly isDurable: boolean;
  /** The reply of the engine, set by `BucketCalls.run`. */
  reply?: Reply;
}

/** What must be true before a durable write is acknowledged. */
export interface Durability {
  /** Number of replicas that must have the write. */
  replicas: number;
  /** True if the write must also be in the append-only files of the master and of these replicas. */
  aof: boolean;
}

/** Error if the fence of a bucket is missing or is not the expected one. */
export class FenceDiffers extends Error {
  override name = 'FenceDiffers';
  /** The stored fence; empty if there is no fence. */
  readonly stored: string;
  /** Number of calls that were refused for this reason. */
  readonly calls: number;

  constructor(stored: string, calls = 1) {
    super(stored === '' ? 'a bucket has lost its fence' : `a bucket has the fence "${stored}"`);
    this.stored = stored;
    this.calls = calls;
  }
}

/** Error if too few replicas have confirmed a write. */
export class NotConfirmed extends Error {
  override name = 'NotConfirmed';
}

/** Time that WAIT or WAITAOF waits for the replicas, in milliseconds. Afterwards, the write and the wait are repeated. */
const WAIT_MS = 1_000;
/** Pauses before the repetitions of failed calls, in milliseconds. The last pause is used for all later ones. */
const PAUSES_MS = [0, 20, 50, 100, 200];
/** Codes of error replies after which a call is repeated. All of them can occur during a failover or a resharding. */
const TEMPORARY = new Set([
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'LOADING',
  'READONLY',
  'NOREPLICAS',
  'MASTERDOWN',
  'UNBLOCKED',
  'BUSY',
  'NOSCRIPT',
]);

/** Error replies to WAIT and WAITAOF of a node that has become a replica. */
const WAIT_ON_REPLICA = /^ERR WAIT(?:AOF)? cannot be used with replica/;

/** A call that must be repeated. */
interface FailedCall {
  call: BucketCall;
  error: Error;
  /** The node that must get the repeated call, after ASKING; undefined for the master of the bucket. */
  askNode: NodeAddress | undefined;
}

interface NodeCalls {
  node: NodeAddress;
  calls: FailedCall[];
}

/** Executes calls on the masters of their buckets, and repeats calls that a failover or a resharding interrupts. */
export class BucketCalls {
  readonly #nodes: EngineNodes;
  readonly #durability: () => Durability;

  /** `durability` is called for each attempt. */
  constructor(nodes: EngineNodes, durability: () => Durability) {
    this.#nodes = nodes;
    this.#durability = durability;
  }

  /**
   * Executes calls and sets their replies. Pipelines the calls of each node, and waits for replicas once for each node
   * with durable calls. The calls must be of different buckets or independent, because only some of them may be
   * repeated.
   *
   * Rejects with FenceDiffers, with EngineReplyError for an error that a repetition cannot mend, or with the error of
   * the last attempt if calls still fail at the time `until` (of performance.now()).
   */
  async run(calls: readonly BucketCall[], until: number): Promise<void> {
    let failed = await this.#attempt(calls.map(firstAttempt));
    for (let attempt = 0; failed.length > 0; attempt++) {
      if (performance.now() >= until) throw failed[0]?.error;
      await delay(pauseAfter(attempt));
      // A failed refresh is not an error here: the next attempt uses the known topology, and fails too.
      const refreshed = this.#nodes.refresh().catch(() => {});
      if (!failed.every(isRedirected)) await refreshed;
      failed = await this.#attempt(failed);
    }
  }

  /** Executes each call once. Returns the calls that must be repeated. Rejects if an error is not temporary. */
  async #attempt(calls: readonly FailedCall[]): Promise<FailedCall[]> {
    const failed: FailedCall[] = [];
    const byNode = new Map<string, NodeCalls>();
    for (const { call, askNode } of calls) {
      const node = askNode ?? this.#nodes.masterOf(call.bucket);
      if (!node) {
        failed.push({ call, error: new ConnectionLost('no known node has the data of a bucket'), askNode });
        continue;
      }
      const shown = showAddress(node);
      const list = byNode.get(shown) ?? { node, calls: [] };
      byNode.set(shown, list);
      list.calls.push({ call, error: NO_ERROR, askNode });
    }
    const results = await Promise.all(Array.from(byNode.values(), each => this.#attemptOn(each)));
    failed.push(...results.flat());
    throwFinal(failed);
    return failed;
  }

  async #attemptOn({ node, calls }: NodeCalls): Promise<FailedCall[]> {
    let connection: EngineConnection;
    try {
      connection = await this.#nodes.connect(node);
    } catch (error) {
      return calls.map(({ call }) => ({ call, error: asError(error), askNode: undefined }));
    }
    const failed = new Map<BucketCall, FailedCall>();
    const replies = calls.map(({ call, askNode }) => {
      if (askNode) connection.send(['ASKING']).catch(() => {});
      return connection.send(call.command).then(
        reply => {
          call.reply = reply;
        },
        (error: Error) => void failed.set(call, this.#failureOf(call, error, node)),
      );
    });
    const durable = calls.filter(({ call }) => call.isDurable);
    const unconfirmed = durable.length > 0 ? await this.#confirm(connection) : undefined;
    await Promise.all(replies);
    if (unconfirmed) {
      for (const { call } of durable)
        if (!failed.has(call)) failed.set(call, { call, error: unconfirmed, askNode: undefined });
    }
    const list = [...failed.values()];
    if (list.some(({ error }) => codeOf(error) === 'NOSCRIPT')) await loadScripts(connection);
    return list;
  }

  /**
   * Waits until enough replicas have the writes that were sent on this connection. Returns the error if this is not the
   * case.
   */
  async #confirm(connection: EngineConnection): Promise<Error | undefined> {
    const { replicas, aof } = this.#durability();
    if (replicas === 0 && !aof) return undefined;
    const numbers = [String(replicas), String(WAIT_MS)];
    try {
      const reply = await connection.send(aof ? ['WAITAOF', '1', ...numbers] : ['WAIT', ...numbers]);
      const [masters, found] = Array.isArray(reply)
        ? [Number(reply[0]), Number(reply[1])]
        : [1, Number(reply)];
      if (masters > 0 && found >= replicas) return undefined;
      const what = aof ? 'append-only files' : 'memory';
      return new NotConfirmed(`${found} of ${replicas} replicas have the write in their ${what}`);
    } catch (error) {
      return asError(error);
    }
  }

  /** Converts the error of a call. After a redirect, notes the node that has the bucket now. */
  #failureOf(call: BucketCall, error: Error, node: NodeAddress): FailedCall {
    const code = codeOf(error);
    if (code === FENCED) {
      const stored = error.message.slice(FENCED.length).trim();
      return { call, error: new FenceDiffers(stored), askNode: undefined };
    }
    const redirect = code === 'MOVED' || code === 'ASK' ? readRedirect(error.message, node) : undefined;
    if (redirect && code === 'MOVED') this.#nodes.setMaster(redirect.slot, redirect.address);
    return { call, error, askNode: code === 'ASK' ? redirect?.address : undefined };
  }
}

const NO_ERROR = new Error('the call was not tried yet');
const firstAttempt = (call: BucketCall): FailedCall => ({ call, error: NO_ERROR, askNode: undefined });
const codeOf = (error: Error): string => (error instanceof EngineReplyError ? error.code : '');
const isRedirected = ({ error }: FailedCall): boolean => ['MOVED', 'ASK'].includes(codeOf(error));
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Loads the scripts again, after somebody removed them from the node. A lost connection is not an error here. */
async function loadScripts(connection: EngineConnection): Promise<void> {
  await connection.loadScripts().catch((error: unknown) => {
    if (!(error instanceof ConnectionLost)) throw error;
  });
}

/** Throws the most important error that a repetition cannot mend, if there is one. */
function throwFinal(failed: readonly FailedCall[]): void {
  const final = failed.map(({ error }) => error).filter(error => !isTemporary(error));
  const fences = final.filter(error => error instanceof FenceDiffers);
  // The fence with the highest epoch shows whether a newer owner exists.
  const [newest] = fences.sort((a, b) => (epochOf(b.stored) ?? 0) - (epochOf(a.stored) ?? 0));
  if (newest) throw new FenceDiffers(newest.stored, fences.length);
  if (final[0]) throw final[0];
}

/**
 * Repeats `work` while it fails with a temporary error, until it succeeds or until the time `until` (of
 * performance.now()).
 */
export async function repeat<T>(work: () => Promise<T>, until: number): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || performance.now() >= until) throw error;
      await delay(pauseAfter(attempt));
    }
  }
}

const pauseAfter = (attempt: number): number => PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0;

/** True if the same call can succeed when it is repeated. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ConnectionLost || error instanceof NotConfirmed) return true;
  return TEMPORARY.has(codeOf(error)) || WAIT_ON_REPLICA.test(error.message);
}
