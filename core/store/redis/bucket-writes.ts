import { bucketOf, splitEntryKey } from '../../cluster/buckets.ts';
import type { Operation } from '../storage-engine.ts';
import type { BucketCall } from './bucket-calls.ts';
import { fenceKey, hashKey } from './buckets.ts';
import { PUT_SCRIPT, WRITE_SCRIPT } from './scripts.ts';

/** An operation (the change of one stored entry) that waits to be written to the storage engine. */
export interface QueuedWrite {
  operation: Operation;
  /**
   * How the operation is written. `soft`: no caller waits for the write. `hard`: the write must be durable. `insert`:
   * like `hard`, but an existing value is not replaced.
   */
  mode: 'soft' | 'hard' | 'insert';
  /** The bucket (a group of entries with one owner) that contains the changed entry. */
  bucket: number;
}

/** Creates a queued write from an operation. `mode`: how the operation is written (see `QueuedWrite`). */
export function queuedWrite(operation: Operation, mode: QueuedWrite['mode']): QueuedWrite {
  return { operation, mode, bucket: bucketOf(operation.key) };
}

/**
 * Maximum number of arguments that WRITE_SCRIPT, a Lua script, passes to one Redis command. The limit of Lua is about
 * 8,000.
 */
const RUN_ARGUMENTS = 4_000;

/**
 * From this number of entries on, a transaction (`putFenced`) writes them instead of a Lua script, because it takes
 * less CPU time of Redis. With about 50 entries, both take the same time.
 */
const TRANSACTION_ENTRIES = 64;

/** The call of a Lua script that writes to one bucket (part of the store). */
export interface BucketWrite extends BucketCall {
  /**
   * The writes with the mode `insert`, in the order in which the Lua script executes them. The reply of the script
   * refers to an insert by its position in this list.
   */
  inserts: readonly QueuedWrite[];
}

/** Converts each operation to a queued write with the mode `hard`, which means that the write must be durable. */
export function hardWrites(operations: readonly Operation[]): QueuedWrite[] {
  return operations.map(operation => queuedWrite(operation, 'hard'));
}

/**
 * Returns one call of a Lua script for each bucket that this process owns, with the operations on this bucket. Adds
 * operations on buckets of other owners to `unowned`. `fenceOf`: returns the fencing token of an owned bucket.
 */
export function writesOf(
  queued: readonly QueuedWrite[],
  fenceOf: (bucket: number) => { text: string } | undefined,
  unowned: Set<QueuedWrite>,
): BucketWrite[] {
  const buckets = new Map<number, QueuedWrite[]>();
  for (const write of queued) {
    const list = buckets.get(write.bucket);
    if (list) list.push(write);
    else buckets.set(write.bucket, [write]);
  }
  const calls: BucketWrite[] = [];
  for (const [bucket, writes] of buckets) {
    const fence = fenceOf(bucket);
    if (fence) calls.push(encodeWrite(bucket, writes, fence.text));
    else for (const write of writes) unowned.add(write);
  }
  return calls;
}

/** Encodes operations on one bucket as one call of a Lua script. The script executes all operations or none of them. */
export function encodeWrite(bucket: number, writes: readonly QueuedWrite[], fence: string): BucketWrite {
  return encodePuts(bucket, writes, fence) ?? encodeAny(bucket, writes, fence);
}

/**
 * Encodes operations on one bucket as a call of PUT_SCRIPT, a Lua script. Returns undefined if this script cannot
 * execute all of them.
 */
function encodePuts(bucket: number, writes: readonly QueuedWrite[], fence: string): BucketWrite | undefined {
  if (writes.length * 2 > RUN_ARGUMENTS) return undefined;
  let only: string | undefined;
  let isDurable = false;
  const entries: (string | Buffer)[] = [];
  for (const { operation, mode } of writes) {
    const { kind, field } = splitEntryKey(operation.key);
    if (mode === 'insert' || operation.type !== 'put' || (only !== undefined && kind !== only))
      return undefined;
    only = kind;
    if (mode === 'hard') isDurable = true;
    entries.push(field, operation.value);
  }
  if (only === undefined) return undefined;
  const key = fenceKey(bucket);
  const hash = hashKey(bucket, only);
  const isScript = isDurable || writes.length < TRANSACTION_ENTRIES;
  return {
    bucket,
    // `command` is a getter, so that its arguments are copied only if the script is needed. A write with a transaction
    // (`put`) needs the script only if the transaction fails.
    get command() {
      return ['EVALSHA', PUT_SCRIPT.sha, '2', key, hash, fence, ...entries];
    },
    isDurable,
    inserts: [],
    ...(!isScript && { put: { fenceKey: key, fence, command: ['HSET', hash, ...entries] } }),
  };
}

/**
 * A group of successive operations that have the same type and change the same Redis hash. WRITE_SCRIPT, a Lua script,
 * gets the operations in such groups.
 */
interface Run {
  type: 'put' | 'del' | 'insert';
  /**
   * Position of the changed Redis hash in KEYS, the list of keys that WRITE_SCRIPT gets. The positions start at 1.
   * KEYS[1] is the key of the bucket's fence (fencing token), so the hash has at least position 2.
   */
  index: number;
  values: (string | Buffer)[];
}

/** Encodes operations on one bucket as a call of WRITE_SCRIPT, a Lua script. */
function encodeAny(bucket: number, writes: readonly QueuedWrite[], fence: string): BucketWrite {
  const kinds: string[] = [];
  const runs: Run[] = [];
  let last: Run | undefined;
  for (const { operation, mode } of writes) {
    const { kind, field } = splitEntryKey(operation.key);
    if (!kinds.includes(kind)) kinds.push(kind);
    const index = kinds.indexOf(kind) + 2;
    const type = mode === 'insert' ? 'insert' : operation.type;
    if (last?.type !== type || last.index !== index || last.values.length >= RUN_ARGUMENTS) {
      last = { type, index, values: [] };
      runs.push(last);
    }
    last.values.push(field);
    if (operation.type === 'put') last.values.push(operation.value);
  }
  const command: (string | Buffer)[] = [
    'EVALSHA',
    WRITE_SCRIPT.sha,
    String(kinds.length + 1),
    fenceKey(bucket),
  ];
  for (const kind of kinds) command.push(hashKey(bucket, kind));
  command.push(fence);
  for (const { type, index, values } of runs) {
    command.push(type, String(index), String(values.length));
    for (const value of values) command.push(value);
  }
  const isDurable = writes.some(({ mode }) => mode !== 'soft');
  return { bucket, command, isDurable, inserts: writes.filter(({ mode }) => mode === 'insert') };
}

/**
 * Reads the reply of a Lua script. The reply lists the inserts that the script did not execute, because the entry
 * already existed with a different value. Adds each of these inserts to the map `winners`, with the existing value.
 */
export function readWinners({ reply, inserts }: BucketWrite, winners: Map<QueuedWrite, Buffer>): void {
  if (!Array.isArray(reply)) return;
  for (let i = 0; i + 1 < reply.length; i += 2) {
    const insert = inserts[Number(reply[i]) - 1];
    const stored = reply[i + 1];
    if (insert && Buffer.isBuffer(stored)) winners.set(insert, stored);
  }
}
