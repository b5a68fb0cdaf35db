import { BackupError } from '../../proto/codec/backup-lines.ts';
import { SERVERS } from '../servers/server-entry.ts';
import { COUNTED, type Counted } from '../store/counted-prefixes.ts';
import { SetDigest } from '../store/set-digest.ts';
import type { Put, StorageEngine } from '../store/storage-engine.ts';
import { type BackupFile, readLines } from './backup-file.ts';
import { restoredEntry } from './restored-entry.ts';

/** Number of entries that a restore writes in one batch. */
const BATCH = 1_000;

/**
 * Writes all entries of a backup to an empty storage engine. Rejects with BackupError if the backup is damaged, and
 * with NoWrites if the engine refuses a write.
 */
export async function writeBackup(file: BackupFile, engine: StorageEngine): Promise<void> {
  for (const prefix of COUNTED) engine.verify(prefix, new SetDigest());
  await engine.finishLoading();
  let entries: Put[] = [];
  await readLines(file, async line => {
    entries.push(restoredEntry(line));
    if (entries.length < BATCH) return;
    await engine.commit(entries);
    entries = [];
  });
  await engine.commit(entries);
}

function differs(key: string): BackupError {
  return new BackupError(
    `${key} differs between the restored store and the backup; check the disk, and try again`,
  );
}

/**
 * Verifies a restored store: reads all entries of the backup and of the storage engine, and compares them. Rejects with
 * BackupError if an entry differs, and with StoreDamage if the engine is damaged.
 */
export async function compareBackup(file: BackupFile, engine: StorageEngine): Promise<void> {
  const expected = new Map<string, Put>();
  const servers = engine.entries(SERVERS);
  const digests: Record<Counted, SetDigest> = {
    's/': new SetDigest(),
    't/': new SetDigest(),
    'c/': new SetDigest(),
  };
  await readLines(file, async line => {
    const entry = restoredEntry(line);
    if (entry.adds !== undefined) digests[entry.key.slice(0, 2) as Counted].addChecksum(entry.adds);
    if (!('server' in line)) {
      expected.set(entry.key, entry);
      return;
    }
    // Both the backup and the storage engine contain the servers in order of their keys. Therefore they can be compared
    // server by server.
    const next = await servers.next();
    if (next.done || next.value[0] !== entry.key || !next.value[1].equals(entry.value))
      throw differs(entry.key);
  });
  const surplus = await servers.next();
  if (!surplus.done) throw differs(surplus.value[0]);
  await compareOthers(expected, engine);
  for (const prefix of COUNTED) engine.verify(prefix, digests[prefix]);
}

/** Compares all entries in the engine, except the servers, with the entries of the backup (`expected`). */
async function compareOthers(expected: ReadonlyMap<string, Put>, engine: StorageEngine): Promise<void> {
  let stored = 0;
  for (const prefix of ['c/', 't/', 'q/', 'u/', 'w/']) {
    await engine.readAll(prefix, (key, value) => {
      stored++;
      if (!expected.get(key)?.value.equals(value)) throw differs(key);
    });
  }
  if (stored !== expected.size)
    throw new BackupError(
      `${expected.size - stored} entries of the backup are missing in the restored store; check the disk, and try again`,
    );
}
