import { UNCONFIRMED_LIMITS, UnconfirmedServers } from '../../core/admission/unconfirmed-servers.ts';
import { type OpenedStore, openStore } from '../../core/open-store.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { createLogger } from '../../runtime/log.ts';
import { settings } from '../../runtime/settings.ts';
import { feedOf } from '../core/feed/feed-of.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';

/** Clock that the stores in the damage tests use, in Unix ms. Only the tests advance the clock. */
export const clock = { at: Date.UTC(2026, 0, 2) };
/** Returns the simulated time of `clock`, Unix ms. */
export const now = (): number => clock.at;

/** Returns the settings of a core that uses a data directory. `more`: further settings. */
export function configOf(directory: string, more: Record<string, string> = {}) {
  const environment = {
    GSQ_DATA_DIR: directory,
    GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    GSQ_MIN_FREE_SPACE: '0B',
    ...more,
  };
  return loadConfig(settings, environment, []);
}

/**
 * Opens a data directory in this process, with the function that a core uses. Rejects if a core would refuse to start.
 * `more`: further settings.
 */
export function openAsCore(directory: string, more: Record<string, string> = {}): Promise<OpenedStore> {
  return openStore({
    config: configOf(directory, more),
    log: createLogger('core', 'silent'),
    now,
    monotonic: now,
    unconfirmed: new UnconfirmedServers({ ...UNCONFIRMED_LIMITS, inAll: 1_000_000, aToken: 1_000_000 }),
    feed: feedOf(),
    webhooks: { compare: async () => [], writeDirty: async () => {} },
    onRemove() {},
  });
}

/** Closes a data directory with the same steps, in the same order, as a core that shuts down. */
export async function closeAsCore(opened: OpenedStore): Promise<void> {
  await opened.supervisor.close();
  opened.quota.close();
  opened.lastUse.close();
  await opened.history.close();
  await opened.store.close();
  await opened.engine.close();
}

/** The content of a data directory. */
export interface WholeData {
  /** The data whose writes were acknowledged, as one text: server keys, tokens, and credentials. */
  acknowledged: string;
  /**
   * The complete content of the data directory as JSON text: the acknowledged data, the server records, the usage of
   * each token, and the number of corrupt entries.
   */
  all: string;
  /** The keys of all servers in the data directory. */
  servers: ReadonlySet<string>;
}

/** Returns the content of an opened store. */
export async function contentOf(opened: OpenedStore): Promise<WholeData> {
  const { store, tokens, credentials, quota, lastUse, corrupt } = opened;
  const servers = await store.list('', '', 1_000_000);
  const keys = servers.map(({ key }) => key);
  const access = keys.map(key => credentials.get(key)?.secret ?? null);
  const usage = tokens.list().map(({ id }) => [id, quota.used(id), lastUse.at(id)]);
  const data = servers.map(({ data: payload, ...record }) => [
    record,
    Buffer.from(payload).toString('base64'),
  ]);
  const acknowledged = JSON.stringify([keys, access, tokens.list()]);
  return {
    acknowledged,
    all: JSON.stringify([acknowledged, usage, data, corrupt.count]),
    servers: new Set(keys),
  };
}
