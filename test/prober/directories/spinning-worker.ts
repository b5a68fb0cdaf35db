// Fake of the thread that looks up servers in public server lists. For the protocol `spins`, the fake hangs. For the
// protocol `refuses`, the fake reports a pause: a time without requests to a host. Each answer lists the pauses that
// the fake received at its start.

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
