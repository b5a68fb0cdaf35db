import type { TestContext } from 'node:test';
import { CoreLinks, type CoreLinksOptions } from '../../../gateway/upstream/core-links.ts';
import { insecure } from '../../../proto/clients.ts';
import { createLogger } from '../../../runtime/log.ts';
import { ScriptedCore } from '../scripted-core.ts';
import { LONG_MS, SECRET } from './link-under-test.ts';

/** Fake list of the cores of a cluster. The test decides which cores it contains. */
export class FakeMembers {
  addresses: readonly string[];
  readonly #listeners = new Set<() => void>();

  constructor(...addresses: string[]) {
    this.addresses = addresses;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(...addresses: string[]): void {
    this.addresses = addresses;
    for (const listener of this.#listeners) listener();
  }
}

/** Starts `count` fake cores. Stops them after the test. */
export async function startCores(t: TestContext, count: number): Promise<ScriptedCore[]> {
  const cores = Array.from({ length: count }, () => new ScriptedCore());
  for (const core of cores) {
    await core.start();
    t.after(() => core.stop());
  }
  return cores;
}

/**
 * Opens the gateway's links to all cores in `members`, and closes them after the test. Does not wait until the links
 * are connected.
 */
export function openLinks(
  t: TestContext,
  members: FakeMembers,
  options: Partial<CoreLinksOptions> = {},
): CoreLinks {
  const links = new CoreLinks({
    members,
    secret: SECRET,
    security: () => insecure,
    log: createLogger('gateway', 'silent'),
    leaveMs: LONG_MS,
    ...options,
  });
  t.after(() => links.close(0));
  return links;
}

/** Opens the gateway's links to all cores, and waits until all streams are open. */
export async function connect(t: TestContext, cores: readonly ScriptedCore[]) {
  const members = new FakeMembers(...cores.map(({ address }) => address));
  const links = openLinks(t, members);
  await Promise.all(cores.map(core => core.until(() => core.streams >= 4)));
  return { members, links };
}

/**
 * Waits until `met` returns true. Calls `met` now, and each time the gateway notices that a core starts or stops
 * responding.
 */
export function noticed(links: CoreLinks, met: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const check = (): void => {
      if (met()) resolve();
    };
    links.cores.watch(check);
    check();
  });
}

/** Returns a function for `noticed`. This function returns true if all cores respond. */
export const allRespond = (links: CoreLinks) => () => links.cores.states.every(({ responds }) => responds);

/** Returns the number of calls that each fake core has received. */
export const callCounts = (cores: readonly ScriptedCore[]): number[] =>
  cores.map(({ calls }) => calls.length);

/** Returns a token whose calls the gateway sends to `core`. */
export function tokenOf(links: CoreLinks, { address }: ScriptedCore): string {
  for (let i = 0; ; i++) if (links.cores.pickCore(`token-${i}`) === address) return `token-${i}`;
}
