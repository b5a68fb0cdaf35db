import { bucketOf, splitEntryKey } from '../../cluster/buckets.ts';
import type { Operation } from '../storage-engine.ts';
import type { BucketCall } from './bucket-calls.ts';
import { fenceKey, hashKey } from './buckets.ts';
import { PUT_SCRIPT, WRITE_SCRIPT } from './scripts.ts';

/** A change of an entry (operation) that waits until it is written to the storage engine. */
export interface QueuedWrite {
  operation: Operation;
  /** `soft`: nobody waits for the write. `hard`: it must be durable. `insert`: hard, and a stored value must not change. */
  mode: 'soft' | 'hard' | 'insert';
  /** The bucket of the entry. */
  bucket: number;
}

/** Creates a queued write. `mode`: see `QueuedWrite`. */
export function queuedWrite(operation: Operation, mode: QueuedWrite['mode']): QueuedWrite {
  return { operation, mode, bucket: bucketOf(operation.key) };
}

/**
 * Maximum number of arguments in one run of operations (see WRITE_SCRIPT). Lua cannot pass more than about 8,000
 * arguments to a command.
 */
const RUN_ARGUMENTS = 4_000;

/** The call of a Lua script that writes to one bucket of the store. */
export interface BucketWrite extends BucketCall {
  /** The written operations with the mode `insert`, in their order. */
  inserts: readonly QueuedWrite[];
}

/** Creates queued writes that must be durable. */
export function hardWrites(operations: readonly Operation[]): QueuedWrite[] {
  return operations.map(operation => queuedWrite(operation, 'hard'));
}

/**
 * Arranges operations by bucket. Returns one call of a write script for each bucket that has a fence. The operations of a
 * bucket keep their order. Adds the operations of the other buckets, which this process does not own, to `unowned`.
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

/** Encodes the operations of one bucket as a call of a write script, which does them all or none of them. */
export function encodeWrite(bucket: number, writes: readonly QueuedWrite[], fence: string): BucketWrite {
  return encodePuts(bucket, writes, fence) ?? encodeAny(bucket, writes, fence);
}

/** Encodes a call of PUT_SCRIPT. Returns undefined if this script cannot do all the operations. */
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
  const command = [
    'EVALSHA',
    PUT_SCRIPT.sha,
    '2',
    fenceKey(bucket),
    hashKey(bucket, only),
    fence,
    ...entries,
  ];
  return { bucket, command, isDurable, inserts: [] };
}

interface Run {
  type: 'put' | 'del' | 'insert';
  /** Index of a hash in the keys (KEYS) of WRITE_SCRIPT. The fence has index 1. */
  index: number;
  values: (string | Buffer)[];
}

/** Encodes the operations of one bucket as a call of WRITE_SCRIPT. */
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
 * Reads the reply of a write script. Adds each operation whose entry was already stored with a different value to
 * `winners`, with the stored value.
 */
export function readWinners({ reply, inserts }: BucketWrite, winners: Map<QueuedWrite, Buffer>): void {
  if (!Array.isArray(reply)) return;
  for (let i = 0; i + 1 < reply.length; i += 2) {
    const insert = inserts[Number(reply[i]) - 1];
    const stored = reply[i + 1];
    if (insert && Buffer.isBuffer(stored)) winners.set(insert, stored);
  }
}
