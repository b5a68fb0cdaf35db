// A fake gamedig worker. The game of a query decides what the worker does: it answers, waits, hangs, exits, throws an
// error, or runs out of memory.

import { parentPort } from 'node:worker_threads';
import type { GamedigMessage, GamedigQuery } from '../../../prober/gamedig/messages.ts';

const tell = (message: GamedigMessage) => parentPort?.postMessage(message);
parentPort?.on('message', ({ id, game }: GamedigQuery) => {
  if (game === 'crashes') process.exit(3);
  if (game === 'spins') for (;;);
  if (game === 'throws') throw new Error('cannot read http://192.0.2.1/?token=a-secret-of-this-test');
  // Uses `Array.from`, because Node.js 24 (V8 13.6) cannot stop a thread that calls `new Array(1_000).fill(…)` in a
  // loop.
  if (game === 'swells')
    for (const kept: number[][] = []; ; ) kept.push(Array.from({ length: 1_000 }, (_, i) => i));
  if (game === 'answers') {
    const status = { name: 'here', players: 1, maxplayers: 2 };
    tell({ kind: 'answer', id, answer: { kind: 'online', status, ping: 1 } });
  }
});
tell({ kind: 'ready' });
