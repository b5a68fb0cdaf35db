/**
 * A program that shortens the time slice of its main thread, and then starts a worker thread. It prints the time slices
 * in nanoseconds: of the main thread before and afterwards, and of the worker thread.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { shortenSlice } from '../../runtime/thread-slice.ts';

const READ = "require('node:fs').readFileSync('/proc/thread-self/sched', 'utf8')";

function sliceIn(sched: string): string {
  return /se\.slice\s*:\s*(\d+)/.exec(sched)?.[1] ?? '';
}

const ownSlice = (): string => sliceIn(readFileSync('/proc/thread-self/sched', 'utf8'));
const before = ownSlice();
await shortenSlice();
const worker = new Worker(`require('node:worker_threads').parentPort.postMessage(${READ})`, { eval: true });
const [sched] = await once(worker, 'message');
process.stdout.write(`${before} ${ownSlice()} ${sliceIn(String(sched))}\n`);
