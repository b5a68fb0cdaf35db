// Says it is ready, answers a query for `answers`, and spins without end on one for `spins`.

import { parentPort } from 'node:worker_threads';
import type { GamedigMessage, GamedigQuery } from '../../../prober/gamedig/messages.ts';

const tell = (message: GamedigMessage) => parentPort?.postMessage(message);
parentPort?.on('message', ({ id, game }: GamedigQuery) => {
  if (game === 'crashes') process.exit(3);
  if (game === 'spins') for (;;);
  if (game === 'answers') {
    const status = { name: 'here', players: 1, maxplayers: 2 };
    tell({ kind: 'answer', id, answer: { kind: 'online', status, ping: 1 } });
  }
});
tell({ kind: 'ready' });
