/**
 * Compares the resident memory of idle core processes of two checkouts: per process, and per tracked server.
 *
 *   node --import ./runtime/typescript.mjs test/bench/memory.ts <commit or folder> [servers] [processes] [seconds]
 *                                                               (400,000 servers, 3 processes and 10 s if absent)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { type Checkout, otherCheckout, thisCheckout } from './compare/checkout.ts';
import { type Resident, residentOf } from './process-usage.ts';
import { median } from './rounds.ts';
import { bound, settings } from './service.ts';

/**
 * Number of tracked servers for the measurement per process. With so few servers, a core uses little more memory than
 * without servers.
 */
const FEW = 1_000;
/** gRPC status UNIMPLEMENTED: the core of an older checkout does not have the called method. */
const UNIMPLEMENTED = 12;
const FILL_MS = 120_000;

const [other = '', servers = '400000', processes = '3', seconds = '10'] = process.argv.slice(2);
const path = process.env.PATH ?? '';
const checkouts = { before: otherCheckout(other, path), after: thisCheckout(path) };

/**
 * Resolves when the core process answers a search: then its search index is complete. Resolves immediately if this
 * version of the core has no search method.
 */
async function whenFilled(address: string): Promise<void> {
  const client = clients.server(address);
  const search = (): Promise<boolean> =>
    new Promise(resolve => {
      client.listServers({ pageSize: 1 }, internalMetadata(INTERNAL_SECRET), error =>
        resolve(!error || error.code === UNIMPLEMENTED),
      );
    });
  await until('the search is filled', search, Boolean, FILL_MS);
  client.close();
}

/** Starts a core process, and returns its resident memory after it was idle for some seconds. */
async function measure(checkout: Checkout, directory: string): Promise<Resident> {
  const [core, ready] = await checkout.start('core', { ...settings, GSQ_DATA_DIR: directory });
  try {
    await whenFilled(bound(ready, 'GSQ_INTERNAL_ADDR'));
    await sleep(Number(seconds) * 1_000);
    const resident = residentOf(core.pid);
    if (!resident) throw new Error(`the memory of the core cannot be read: ${core.report}`);
    return resident;
  } finally {
    await core.stop();
  }
}

const KINDS = ['anonymous', 'file', 'total'] as const;
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
const medians = new Map<string, Record<(typeof KINDS)[number], number>>();
for (const count of [FEW, Number(servers)]) {
  const sides = Object.entries(checkouts).map(([name, checkout]) => {
    const directory = scratchDirectory();
    checkout.writeTrackedServers(directory, count);
    return { name, checkout, directory, found: [] as Resident[] };
  });
  for (let i = 0; i < Number(processes); i++) {
    for (const { name, checkout, directory, found } of sides) {
      const resident = await measure(checkout, directory);
      found.push(resident);
      console.log(
        `${count} servers, ${name.padEnd(6)}: ${KINDS.map(kind => `${kind} ${mib(resident[kind])}`).join(', ')} MiB`,
      );
    }
  }
  for (const { name, found } of sides) {
    const of = (kind: (typeof KINDS)[number]): number => median(found.map(each => each[kind])) ?? 0;
    medians.set(`${name} ${count}`, { anonymous: of('anonymous'), file: of('file'), total: of('total') });
  }
}
for (const kind of KINDS) {
  const of = (name: string, count: number): number => medians.get(`${name} ${count}`)?.[kind] ?? Number.NaN;
  const [few, many] = [FEW, Number(servers)].map(count => of('after', count) - of('before', count)) as [
    number,
    number,
  ];
  const each = (many - few) / (Number(servers) - FEW);
  console.log(
    `${kind}: ${mib(few)} MiB more with ${FEW} servers, ${mib(many)} MiB more with ${servers}: ${each.toFixed(0)} bytes a server`,
  );
}
