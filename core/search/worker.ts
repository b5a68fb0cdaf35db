// Code of the worker thread that holds the search index. Searches run in a separate thread, because a search over a
// million servers takes many milliseconds. In this time, the main thread can answer fetches.

import { parentPort, workerData } from 'node:worker_threads';
import { setThreadPriority } from '../../runtime/thread-priority.ts';
import { WorkPauses } from '../../runtime/work-pauses.ts';
import { readChanges } from './change-batch.ts';
import { countRows, searchRows } from './row-scan.ts';
import { ServerRows } from './server-rows.ts';
import type { IndexReply, IndexRequest, IndexSetup } from './thread-messages.ts';

/** Nice value of the search thread: a low priority, because searches must not slow down fetches. */
const NICE = 15;

if (!parentPort) throw new Error('core/search/worker.ts runs as a worker thread only');
const port = parentPort;
setThreadPriority(NICE);
const reply = (message: IndexReply, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved);
const rows = new ServerRows((workerData as IndexSetup).servers);

const pauses = new WorkPauses();
const { pauseIfDue } = pauses;

port.on('message', (message: IndexRequest) => {
  pauses.startWork();
  if (message.kind === 'changes') {
    const { batch } = message;
    readChanges(batch, rows);
    reply({ kind: 'applied', batch }, [batch.buffer]);
  } else if (message.kind === 'search') {
    reply({ kind: 'found', id: message.id, page: searchRows(rows, message.query, pauseIfDue) });
  } else {
    reply({ kind: 'counted', id: message.id, games: countRows(rows, message.query, pauseIfDue) });
  }
});
