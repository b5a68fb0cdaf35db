// Code of the worker thread that fetches and parses server lists. A list can have several megabytes. Parsing it in this
// thread leaves the main thread free to read the replies of game servers without delay.

import { parentPort, workerData } from 'node:worker_threads';
import { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { HttpClient } from '../http/http-client.ts';
import { TimerWheel } from '../timing/timer-wheel.ts';
import { DirectoryClient } from './directory-client.ts';
import { guardedLookup } from './guarded-lookup.ts';
import type {
  DirectoryMessage,
  DirectoryTargets,
  DirectoryThreadData,
  PostedDirectoryQuestion,
} from './messages.ts';

if (!parentPort) throw new Error('prober/directories/worker.ts runs as a worker thread only');
const port = parentPort;
const tell = (message: DirectoryMessage) => port.postMessage(message);

const { userAgent, optIn, dnsServers, pauses, origins, ca } = workerData as DirectoryThreadData;
const now = () => performance.now();
const wheel = new TimerWheel();
wheel.start();
const resolver = new Resolver(dnsServers, now);
let policy = new TargetPolicy([]);
const http = new HttpClient({
  lookup: guardedLookup({ resolve: name => resolver.resolve(name), allows: ip => policy.allows(ip) }),
  userAgent,
  wheel,
  ...(ca !== undefined && { ca }),
});
const client = new DirectoryClient({
  http,
  now,
  optIn,
  pauses,
  onNote: note => tell({ kind: 'note', note }),
  ...(origins && { origins }),
});

port.on('message', async (message: PostedDirectoryQuestion | DirectoryTargets) => {
  if (message.kind === 'targets') {
    const { opened, ...refusals } = message.rules;
    policy = new TargetPolicy(opened, refusals);
  } else {
    tell({ kind: 'answer', id: message.id, answer: await client.ask(message) });
  }
});
tell({ kind: 'ready' });
