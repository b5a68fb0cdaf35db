/**
 * This program works on a data directory. Commands of `gsq` start the program. It reads the settings of the core. While
 * it runs, no core may use the directory; only `migrate` allows this.
 *
 * - `backup [--no-history]` writes a backup to stdout.
 * - `restore <file> [--no-credentials]` creates the data directory from a backup.
 * - `examine` prints each finding about the data as one line of JSON.
 * - `migrate` moves the store from MIGRATE_FROM to MIGRATE_TO.
 * - `abort-migration` removes what an unfinished migration has copied to MIGRATE_TO.
 */
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { BackupError } from '../proto/codec/backup-lines.ts';
import { ConfigError } from '../runtime/config.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { settings } from '../runtime/settings.ts';
import { backupChunks } from './backup/backup.ts';
import { StoreInUse } from './cluster/owner-table.ts';
import { storeError } from './core-settings.ts';
import { EMBEDDED, storeDirectory } from './engine.ts';
import { examine, examineHistory } from './examine.ts';
import { MigrationFailed } from './migration/copied-entries.ts';
import { CoreLost } from './migration/core-source.ts';
import { WindowOver } from './migration/source.ts';
import { abortMigration, type MigratedStores, migrateStore } from './offline-migrate.ts';
import { makeCopyDirectory, type OfflineStore, openOffline, restoreStore } from './offline-store.ts';
import { historyDirectory } from './store/history/history.ts';
import { OfflineHistory } from './store/history/history-backup.ts';
import { UnfinishedMigration } from './store/migration-marker.ts';
import { NoWrites } from './store/no-writes.ts';
import { CoresStillWrite } from './store/redis/store-hold.ts';
import { StoreDamage } from './store/store-damage.ts';

const [verb = '', file = '', flag = ''] = process.argv.slice(2);
const config = loadConfig(settings, process.env, []);
const directory = resolve(config.GSQ_DATA_DIR);
const talk = (line: string): void => void process.stderr.write(`gsq: ${line}\n`);

/**
 * Rejects if the `gsq` command that started this process has stopped reading the output of this process. No error
 * message is needed, because the command has already told the user the reason.
 */
const readerGone = new Promise<never>((_resolve, reject) => process.stdout.on('error', reject));
readerGone.catch(() => {});

async function out(bytes: Buffer | string): Promise<void> {
  if (!process.stdout.write(bytes)) await Promise.race([once(process.stdout, 'drain'), readerGone]);
}

function checkEmbedded(): void {
  if (config.GSQ_STORE === EMBEDDED) return;
  throw new ConfigError(
    'GSQ_STORE: this command works only on the embedded store, but the data is in a Redis or Valkey; back it up through a running core: gsq backup <file>',
  );
}

function checkThere(): void {
  checkEmbedded();
  if (existsSync(storeDirectory(directory))) return;
  throw new ConfigError(`GSQ_DATA_DIR: there is no store in ${directory}`);
}

/** Creates a directory for a copy of the store. The directory is removed when this process ends, also by Ctrl-C. */
function makeCopy(): string {
  const copy = makeCopyDirectory(directory);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  // Without a listener, a signal would end this process without the event `exit`.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  return copy;
}

async function open(): Promise<OfflineStore> {
  try {
    return await openOffline(directory, makeCopy());
  } catch (error) {
    throw storeError({ GSQ_STORE: EMBEDDED, GSQ_DATA_DIR: directory }, error);
  }
}

async function backup(): Promise<number> {
  checkThere();
  const store = await open();
  const copied = new OfflineHistory(historyDirectory(directory), makeCopy(), fault =>
    store.faults.push(fault),
  );
  try {
    const source = await store.readBackup(Date.now);
    const history = file === '--no-history' ? undefined : () => copied.lines();
    for await (const chunk of backupChunks({ ...source, history })) await out(chunk);
    for (const fault of store.faults) talk(`left out: ${fault}`);
    for (const fault of store.keyFaults) talk(fault);
    return store.faults.length + store.keyFaults.length === 0 ? exitStatus.ok : exitStatus.failed;
  } finally {
    await copied.close();
    await store.close();
  }
}

async function restore(): Promise<number> {
  checkEmbedded();
  const counts = await restoreStore(file, directory, flag === '--no-credentials');
  await out(`${JSON.stringify(counts)}\n`);
  return exitStatus.ok;
}

async function checkDirectory(): Promise<number> {
  checkThere();
  const store = await open();
  try {
    const findings = [...(await examine(store, config)), ...examineHistory(directory)];
    for (const finding of findings) await out(`${JSON.stringify(finding)}\n`);
    return findings.every(({ ok }) => ok) ? exitStatus.ok : exitStatus.failed;
  } finally {
    await store.close();
  }
}

/**
 * Prints the progress of a migration to the command `gsq migrate`, which started this process. If the command was
 * killed, printing fails, and this process ends too.
 */
function showProgress(phase: string, done: number, total: number | undefined): void {
  process.stdout.write(`${JSON.stringify({ phase, done, total })}\n`);
}

/**
 * Runs `work` with the stores of a migration, and prints the result as one line of JSON. Reads the store URLs from
 * environment variables, because a URL can contain a password, and all users can see the arguments of a process.
 */
async function moveStore(work: (stores: MigratedStores) => Promise<object>): Promise<number> {
  // Ends this process if the command that started it (`gsq migrate`) was killed.
  readerGone.catch(() => process.exit(exitStatus.failed));
  const { MIGRATE_FROM = '', MIGRATE_TO = '' } = process.env;
  const result = await work({ from: MIGRATE_FROM, to: MIGRATE_TO, directory, config });
  await out(`${JSON.stringify({ result })}\n`);
  return exitStatus.ok;
}

const verbs: Record<string, () => Promise<number>> = {
  backup,
  restore,
  examine: checkDirectory,
  migrate: () => moveStore(stores => migrateStore(stores, showProgress)),
  'abort-migration': () => moveStore(stores => abortMigration(stores, showProgress)),
};

/** Errors that are printed without a stack trace, because their message is enough. */
const TOLD = [
  BackupError,
  ConfigError,
  CoreLost,
  CoresStillWrite,
  MigrationFailed,
  NoWrites,
  StoreDamage,
  StoreInUse,
  UnfinishedMigration,
  WindowOver,
];

try {
  process.exitCode = await (verbs[verb]?.() ?? Promise.resolve(exitStatus.usage));
} catch (error) {
  const isTold = TOLD.some(type => error instanceof type);
  const isReaderGone = error instanceof Error && 'code' in error && error.code === 'EPIPE';
  if (!isReaderGone)
    talk(error instanceof Error ? (isTold ? error.message : (error.stack ?? error.message)) : String(error));
  process.exitCode = error instanceof ConfigError ? exitStatus.configuration : exitStatus.failed;
}
