import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionLost, type EngineConnection, type Reply } from './engine-connection.ts';
import type { EngineNodes } from './engine-nodes.ts';
import { type NodeAddress, showAddress } from './engine-url.ts';
import { newestOf, type StoredFence } from './fence.ts';
import { type FencedPut, putFenced } from './fenced-put.ts';
import { codeOf, isTemporary, NotConfirmed, pauseAfter } from './repetition.ts';
import { FENCED } from './scripts.ts';
import { readRedirect } from './topology.ts';

/** A command to the storage engine (Redis or Valkey) on the keys of one bucket (part of the store). */
export interface BucketCall {
  readonly bucket: number;
  readonly command: readonly (string | Buffer)[];
  /** True if the command is a write that is acknowledged only after replicas have confirmed it. */
  readonly isDurable: boolean;
  /**
   * A transaction that writes the same as `command`, but is cheaper; undefined if there is none. `BucketCalls` tries
   * the transaction first if the user of the connection may run transactions. If the transaction fails with a temporary
   * error, `BucketCalls` sends `command` in its place. A durable write has no transaction, because WAIT must follow the
   * write directly.
   */
  readonly put?: FencedPut;
  /** The reply of the storage engine to the command, set by `BucketCalls.run`. */
  reply?: Reply;
}

/** Which nodes of the storage engine must have a durable write before the write is acknowledged. */
export interface Durability {
  /** Number of replicas, in addition to the master, that must have a durable write. */
  replicas: number;
  /**
   * True if the master and the replicas must store a durable write in their append-only files. False if it is enough
   * that these nodes have the write in memory.
   */
  aof: boolean;
  /**
   * Longest time that a WAIT or WAITAOF command waits for the replicas, in milliseconds. Default: 1000. A write that is
   * not confirmed in this time is sent again.
   */
  waitMs?: number;
}

/**
 * Error if a write to a bucket is refused, because the bucket has no fence or the fence of a different core. A fence
 * says which core owns the bucket (`Fence`).
 */
export class FenceDiffers extends Error {
  override name = 'FenceDiffers';
  /** The buckets of the refused writes, and the stored fence of each bucket. A fence names the owner of a bucket. */
  readonly refused: readonly StoredFence[];

  constructor(refused: readonly StoredFence[]) {
    const stored = newestOf(refused)?.stored ?? '';
    super(stored === '' ? 'a bucket has lost its fence' : `a bucket has the fence "${stored}"`);
    this.refused = refused;
  }
}

/** Default of `Durability.waitMs`, the longest wait for the replicas, ms. */
const WAIT_MS = 1_000;
/** A command to the storage engine that must be repeated, and the error that makes this necessary. */
interface FailedCall {
  call: BucketCall;
  error: Error;
  /**
   * The node that an ASK redirection has named. The command must be sent to this node, after the command ASKING.
   * Undefined if the command must be sent to the master of its bucket.
   */
  askNode: NodeAddress | undefined;
}

interface NodeCalls {
  node: NodeAddress;
  calls: FailedCall[];
}

/**
 * The answers of one node to its commands: for each command, either a reply or an error after which the command must be
 * repeated.
 */
interface NodeAnswers {
  replies: ReadonlyMap<BucketCall, Reply>;
  failed: FailedCall[];
}

/**
 * Executes commands on the masters of their buckets, and repeats commands that a failover or a resharding interrupts.
 */
export class BucketCalls {
  readonly #nodes: EngineNodes;
  readonly #durability: () => Durability;
  readonly #lookMs: number;

  /**
   * `durability`: a function that returns which nodes must confirm a durable write. `lookMs`: time in ms after which
   * this class checks whether a node that has not answered is still a master. By default this time is infinite, so the
   * check is made only after a failed command.
   */
  constructor(nodes: EngineNodes, durability: () => Durability, lookMs = Number.POSITIVE_INFINITY) {
    this.#nodes = nodes;
    this.#durability = durability;
    this.#lookMs = lookMs;
  }

  /**
   * Executes commands, and sets the `reply` of each. Repeats failed commands, so the order of the commands can change.
   * Gives up at the time `until` (in ms, as performance.now() counts it), and rejects with an error of the last
   * attempt. Rejects immediately with FenceDiffers (a bucket has another owner) or EngineReplyError if a repeated
   * command would fail with the same error.
   */
  async run(calls: readonly BucketCall[], until: number): Promise<void> {
    let failed = await this.#attempt(calls.map(firstAttempt));
    for (let attempt = 0; failed.length > 0; attempt++) {
      // Reads the cluster topology after each failed attempt, so that later commands do not go to a node that hangs. If
      // the topology cannot be read, ignores this error, because the next attempt reports an error of its own.
      const refreshed = this.#nodes.refresh().catch(() => {});
      if (performance.now() >= until) throw failed[0]?.error;
      await delay(pauseAfter(attempt));
      if (!failed.every(isRedirected)) await refreshed;
      failed = await this.#attempt(failed);
    }
  }

  /**
   * Sends each command to the storage engine once. Returns the commands that failed with a temporary error and must be
   * repeated. Rejects if a command fails with another error.
   */
  async #attempt(calls: readonly FailedCall[]): Promise<FailedCall[]> {
    const failed: FailedCall[] = [];
    const byNode = new Map<string, NodeCalls>();
    for (const { call, error, askNode } of calls) {
      const node = askNode ?? this.#nodes.masterOf(call.bucket);
      if (!node) {
        failed.push({ call, error: new ConnectionLost('no known node has the data of a bucket'), askNode });
        continue;
      }
      const shown = showAddress(node);
      const list = byNode.get(shown) ?? { node, calls: [] };
      byNode.set(shown, list);
      list.calls.push({ call, error, askNode });
    }
    const results = await Promise.all(Array.from(byNode.values(), each => this.#attemptOn(each)));
    failed.push(...results.flat());
    throwFinal(failed);
    return failed;
  }

  /** Sends commands to one node once, and returns the commands that failed. */
  async #attemptOn(sent: NodeCalls): Promise<FailedCall[]> {
    const answering = this.#answersOf(sent);
    for (;;) {
      const answers = await within(answering, this.#lookMs);
      if (answers) {
        for (const [call, reply] of answers.replies) call.reply = reply;
        return answers.failed;
      }
      // If the node has not answered in time, checks whether it is still the master for at least one of the commands.
      // If it is not, all commands that were sent to the node count as failed, and its later replies are ignored.
      await Promise.race([answering, this.#nodes.refresh().catch(() => {})]);
      if (sent.calls.some(({ call, askNode }) => askNode || this.#isMaster(sent.node, call.bucket))) continue;
      const error = new ConnectionLost(
        `${showAddress(sent.node)} does not answer, and is no longer a master`,
      );
      return sent.calls.map(({ call }) => ({ call, error, askNode: undefined }));
    }
  }

  #isMaster(node: NodeAddress, bucket: number): boolean {
    const master = this.#nodes.masterOf(bucket);
    return master === undefined || showAddress(master) === showAddress(node);
  }

  async #answersOf({ node, calls }: NodeCalls): Promise<NodeAnswers> {
    const replies = new Map<BucketCall, Reply>();
    let connection: EngineConnection;
    try {
      connection = await this.#nodes.connect(node);
    } catch (error) {
      return {
        replies,
        failed: calls.map(({ call }) => ({ call, error: asError(error), askNode: undefined })),
      };
    }
    const failed = new Map<BucketCall, FailedCall>();
    const answered = calls.map(({ call, error, askNode }) => {
      if (askNode) connection.send(['ASKING']).catch(() => {});
      const isFirst = error === NO_ERROR;
      const put = isFirst && connection.mayRunTransactions ? call.put : undefined;
      const reply = put ? putFenced(connection, put) : connection.send(call.command);
      return reply.then(
        reply => void replies.set(call, reply),
        (error: Error) => void failed.set(call, this.#failureOf(call, error, node)),
      );
    });
    const durable = calls.filter(({ call }) => call.isDurable);
    const unconfirmed = durable.length > 0 ? await this.#confirm(connection) : undefined;
    await Promise.all(answered);
    if (unconfirmed) {
      for (const { call } of durable)
        if (!failed.has(call)) failed.set(call, { call, error: unconfirmed, askNode: undefined });
    }
    const list = [...failed.values()];
    if (list.some(({ error }) => codeOf(error) === 'NOSCRIPT')) await loadScripts(connection);
    return { replies, failed: list };
  }

  /**
   * Waits until enough replicas have the writes that were sent on a connection. Returns an error if they do not confirm
   * in time, for example NotConfirmed.
   */
  async #confirm(connection: EngineConnection): Promise<Error | undefined> {
    const { replicas, aof, waitMs = WAIT_MS } = this.#durability();
    if (replicas === 0 && !aof) return undefined;
    const numbers = [String(replicas), String(waitMs)];
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

  /**
   * Converts the error of a command to a FailedCall. After MOVED or ASK, the command will be repeated on the node that
   * the error names.
   */
  #failureOf(call: BucketCall, error: Error, node: NodeAddress): FailedCall {
    const code = codeOf(error);
    if (code === FENCED) {
      const stored = error.message.slice(FENCED.length).trim();
      return { call, error: new FenceDiffers([{ bucket: call.bucket, stored }]), askNode: undefined };
    }
    const redirect = code === 'MOVED' || code === 'ASK' ? readRedirect(error.message, node) : undefined;
    if (redirect && code === 'MOVED') this.#nodes.setMaster(redirect.slot, redirect.address);
    return { call, error, askNode: code === 'ASK' ? redirect?.address : undefined };
  }
}

const NO_ERROR = new Error('the call was not tried yet');
const firstAttempt = (call: BucketCall): FailedCall => ({ call, error: NO_ERROR, askNode: undefined });
const isRedirected = ({ error }: FailedCall): boolean => ['MOVED', 'ASK'].includes(codeOf(error));
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Resolves to the result of a promise, or to undefined if it takes longer than `ms` milliseconds. */
async function within<T>(result: Promise<T>, ms: number): Promise<T | undefined> {
  if (ms === Number.POSITIVE_INFINITY) return result;
  const over = new AbortController();
  const limit = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  return Promise.race([result, limit]).finally(() => over.abort());
}

/**
 * Loads the Lua scripts into a node that does not have them, for example after the command SCRIPT FLUSH. Ignores a
 * lost connection, because the command that needs the scripts is repeated on a new connection.
 */
async function loadScripts(connection: EngineConnection): Promise<void> {
  await connection.loadScripts().catch((error: unknown) => {
    if (!(error instanceof ConnectionLost)) throw error;
  });
}

/**
 * Throws if commands failed with final errors: errors that would occur again if the commands were repeated. If one of
 * these errors is a FenceDiffers, throws FenceDiffers. Otherwise throws the first final error.
 */
function throwFinal(failed: readonly FailedCall[]): void {
  const final = failed.map(({ error }) => error).filter(error => !isTemporary(error));
  const fences = final.filter(error => error instanceof FenceDiffers);
  if (fences.length > 0) throw new FenceDiffers(fences.flatMap(({ refused }) => refused));
  if (final[0]) throw final[0];
}
