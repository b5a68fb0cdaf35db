// A fake look-up thread for tests of the prober. A pause is a time in which the prober sends no requests to a host. The
// thread gets a list of pauses at its start, and answers each look-up with this list. If the protocol of a look-up is
// `refuses`, the thread also reports a new pause of one host. If the protocol is `spins`, the thread hangs and never
// answers.

import { parentPort, workerData } from 'node:worker_threads';
import type {
  DirectoryMessage,
  DirectoryThreadData,
  PostedDirectoryQuestion,
} from '../../../prober/directories/messages.ts';

const { pauses } = workerData as DirectoryThreadData;
const tell = (message: DirectoryMessage) => parentPort?.postMessage(message);
parentPort?.on('message', ({ id, protocol }: PostedDirectoryQuestion) => {
  if (protocol === 'spins') for (;;);
  if (protocol === 'refuses') {
    const pause = {
      host: 'api.alt-mp.com',
      realm: '',
      kind: 'directory-refused',
      detail: 'HTTP 403',
      ms: 3_600_000,
    } as const;
    tell({ kind: 'note', note: { kind: 'pause', directory: 'altv', pause } });
  }
  const told = pauses.map(({ host, ms }) => `${host} ${ms}`).join();
  tell({ kind: 'answer', id, answer: { kind: 'not-listed', detail: told } });
});
tell({ kind: 'ready' });
