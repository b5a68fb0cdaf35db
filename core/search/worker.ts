// Code of the worker thread that holds the search index. A search over a million servers takes many milliseconds.
// Meanwhile the main thread can answer fetches.

import { parentPort } from 'node:worker_threads';
import { readChanges } from './change-batch.ts';
import { countRows, searchRows } from './row-scan.ts';
import { ServerRows } from './server-rows.ts';
import type { IndexReply, IndexRequest } from './thread-messages.ts';

if (!parentPort) throw new Error('core/search/worker.ts runs as a worker thread only');
const port = parentPort;
const reply = (message: IndexReply): void => port.postMessage(message);
const rows = new ServerRows();

port.on('message', (message: IndexRequest) => {
  if (message.kind === 'changes') {
    readChanges(message.batch, rows);
    reply({ kind: 'applied', bytes: message.batch.length });
  } else if (message.kind === 'search') {
    reply({ kind: 'found', id: message.id, page: searchRows(rows, message.query) });
  } else {
    reply({ kind: 'counted', id: message.id, games: countRows(rows, message.query) });
  }
});
