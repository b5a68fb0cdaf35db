import type { ServerCredentials } from '../credentials/server-credentials.ts';
import type { PartChange } from './cluster-servers.ts';
import type { GivenUpServers } from './given-up-servers.ts';
import type { ServerStore } from './server-store.ts';

/** Objects that `changeServers` needs to change servers of this core. */
export interface ChangeServersDependencies {
  store: Pick<ServerStore, 'getMany' | 'listPublicly' | 'remove' | 'hasten'>;
  givenUp: Pick<GivenUpServers, 'forget'>;
  credentials: Pick<ServerCredentials, 'changeAccess'>;
  now: () => number;
}

/**
 * Changes servers of this core, as `change` says. Resolves when the change is durable, with true for each server that
 * gsq tracked. Rejects with NoWrites if the store accepts no writes.
 */
export async function changeServers(
  { store, givenUp, credentials, now }: ChangeServersDependencies,
  change: PartChange,
  keys: readonly string[],
): Promise<boolean[]> {
  if (change.kind === 'list') return store.listPublicly(keys, change.isPublic);
  if (change.kind === 'remove') {
    const removed = await store.remove(keys);
    // A removal also returns true for a server that gsq had given up because it never answered.
    return keys.map((key, i) => givenUp.forget(key) || removed[i] === true);
  }
  const tracked = store.getMany(keys).map(record => record !== undefined);
  const changed = keys.filter((_, i) => tracked[i]);
  await credentials.changeAccess(changed, change.access);
  for (const key of changed) store.hasten(key, now());
  return tracked;
}
