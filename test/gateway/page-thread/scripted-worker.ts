/** A fake of the thread that builds pages. The path of a request decides what the fake does. */
import { parentPort } from 'node:worker_threads';
import type { BuiltReply, PageMessage, PageRequest } from '../../../gateway/page-thread/thread-messages.ts';

function send(message: PageMessage): void {
  parentPort?.postMessage(message);
}

function replyWith(text: string, status: number): BuiltReply {
  const body = new Uint8Array(Buffer.from(text));
  return { status, headers: { 'X-Text': text }, body, isGzipped: false, isCompressed: true, code: undefined };
}

parentPort?.on('message', ({ id, facts: { path } }: PageRequest) => {
  if (path === '/end') process.exit(3);
  else if (path === '/throw') throw new Error('a bug in the thread');
  else if (path === '/overloaded') send({ kind: 'overloaded', id });
  else if (path === '/failed') send({ kind: 'failed', id, cause: 'Error: a bug in a page' });
  else if (path !== '/silent') send({ kind: 'built', id, reply: replyWith(path, 200), busyMs: 1 });
});
send({ kind: 'ready', busy: replyWith('busy', 503) });
