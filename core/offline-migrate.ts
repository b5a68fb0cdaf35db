import { existsSync, renameSync, rmSync } from 'node:fs';
import { ConfigError } from '../runtime/config.ts';
import type { CoreConfig } from './core-settings.ts';
import { EMBEDDED, storeDirectory } from './engine.ts';
import { HistoryCopy } from './migration/copy-history.ts';
import { serverKeysOf } from './migration/history-sides.ts';
import { checkUnfinished, Migration, type MigrationResult, removeCopied } from './migration/migrate.ts';
import type { ShowProgress } from './migration/source.ts';
import {
  type OpenedSource,
  openDistributedSource,
  openDistributedTarget,
  openEmbeddedSource,
  openEmbeddedTarget,
} from './migration-stores.ts';
import type { CopyableEngine } from './store/copyable-engine.ts';
import type { MigrationMarker } from './store/migration-marker.ts';
import { verifyData } from './verify-data.ts';

/** What `gsq migrate` reports: the names of both stores without secrets, and what the migration did. */
export type MigrateReport = MigrationResult & { from: string; to: string };

/**
 * The two stores of a migration. Each is `leveldb` (the embedded store in the data directory) or a URL of Redis or
 * Valkey.
 */
export interface MigratedStores {
  from: string;
  to: string;
  directory: string;
  config: CoreConfig;
}

/** Opens the source or target of a migration, runs `work` with it, and closes it even if `work` fails. */
async function withOpened<Opened extends { close(): Promise<void> }, T>(
  opening: Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const STOP_CORES =
  'Stop all cores of this store first. If this one was killed, its lease ends within 10 seconds';
const IS_FINISHED = 'If a core uses a store, the migration to this store is finished, and cannot be aborted';

function openSource({ from, directory, config }: MigratedStores): Promise<OpenedSource> {
  return from === EMBEDDED
    ? openEmbeddedSource(config, directory)
    : openDistributedSource(config, from, '--from', directory);
}

/**
 * Copies the store `from` to the store `to`. Cores can use the store `from` during most of the copy; at the end of the
 * copy, it becomes read-only. Rejects with the same errors as `Migration.run`.
 */
export async function migrateStore(stores: MigratedStores, onProgress: ShowProgress): Promise<MigrateReport> {
  const { to, directory, config } = stores;
  const load = async (engine: CopyableEngine): Promise<void> => void (await verifyData(engine, directory));
  const openTarget = () =>
    to === EMBEDDED ? openEmbeddedTarget(directory) : openDistributedTarget(config, to, '--to', STOP_CORES);
  // The source is opened before the target for two reasons. First, if the source is unusable, no target is created.
  // Second, opening an embedded source blocks the event loop. If the target were already open, this process could not
  // renew its lease on the target during this time.
  return withOpened(openSource(stores), source =>
    withOpened(openTarget(), async target => {
      const history = new HistoryCopy({
        ...{ source: source.history, target: target.history, onProgress, now: Date.now },
        serverKeys: () => serverKeysOf(target.engine),
      });
      const now = (): number => performance.now();
      const { store } = source;
      const result = await new Migration({ source: store, target, load, history, onProgress, now }).run();
      return { from: store.name, to: target.name, ...result };
    }),
  );
}

/**
 * Removes the `MovedStore` marker from the source of an unfinished migration, so that cores can use the source again.
 * Does nothing if the migration has not set the marker yet (`isClosing` is false). Rejects with ConfigError if `--from`
 * does not name the source.
 */
async function release({ source, id, isClosing }: MigrationMarker, stores: MigratedStores): Promise<void> {
  if (!isClosing) return;
  if (stores.from === stores.to)
    throw new ConfigError(`cores were told that ${source} was moved, so --from must name it, too`);
  await withOpened(openSource(stores), async ({ store }) => {
    if ((await store.moved())?.id === id) await store.release();
  });
}

/**
 * Removes the data that an unfinished migration has copied to the store `to`, and makes the store `from` usable again.
 * Resolves to the number of removed entries.
 */
export async function abortMigration(
  stores: MigratedStores,
  onProgress: ShowProgress,
): Promise<{ to: string; removed: number }> {
  const { to, directory, config } = stores;
  const releaseSource = (marker: MigrationMarker): Promise<void> => release(marker, stores);
  if (to !== EMBEDDED) {
    return withOpened(openDistributedTarget(config, to, '--to', IS_FINISHED), async target => {
      await checkUnfinished(target);
      await target.history.clear();
      return { to: target.name, removed: await removeCopied(target, onProgress, releaseSource) };
    });
  }
  if (!existsSync(storeDirectory(directory)))
    throw new ConfigError(`GSQ_DATA_DIR: there is no store in ${directory}`);
  let removed = 0;
  const name = await withOpened(openEmbeddedTarget(directory), async target => {
    await releaseSource(await checkUnfinished(target));
    await target.history.clear();
    for await (const piece of target.engine.pieces()) removed += piece.length;
    return target.name;
  });
  // The store is renamed before it is removed, so that no core can open a half-removed store.
  const gone = `${storeDirectory(directory)}.aborted`;
  rmSync(gone, { recursive: true, force: true });
  renameSync(storeDirectory(directory), gone);
  rmSync(gone, { recursive: true, force: true });
  return { to: name, removed: removed - 1 };
}
