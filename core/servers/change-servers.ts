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
 * Makes the same change (`change`) to several servers of this core. Resolves when the change is durable. The result
 * contains one value for each key: true if gsq tracked the server. Rejects with NoWrites if the store accepts no
 * writes.
 */
export async function changeServers(
  { store, givenUp, credentials, now }: ChangeServersDependencies,
  change: PartChange,
  keys: readonly string[],
): Promise<boolean[]> {
  if (change.kind === 'list') return store.listPublicly(keys, change.isPublic);
  if (change.kind === 'remove') {
    const removed = await store.remove(keys);
    // A server that gsq gave up because it never answered is not in `store`, but in `givenUp`. The result for the
    // operator is true if the server was removed from `store` or from `givenUp`.
    return keys.map((key, i) => givenUp.forget(key) || removed[i] === true);
  }
  const tracked = store.getMany(keys).map(record => record !== undefined);
  const changed = keys.filter((_, i) => tracked[i]);
  await credentials.changeAccess(changed, change.access);
  for (const key of changed) store.hasten(key, now());
  return tracked;
}
