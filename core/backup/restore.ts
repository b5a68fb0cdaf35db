import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type BackupCounts,
  type BackupCredentials,
  BackupError,
  type BackupLine,
  readBackup,
} from '../../proto/codec/backup-lines.ts';
import { ConfigError } from '../../runtime/config.ts';
import { usageEntry } from '../access/day-quota.ts';
import { lastUseEntry } from '../access/last-use.ts';
import { tokenKeyPath } from '../access/token-key.ts';
import { tokenEntry } from '../access/tokens.ts';
import { CREDENTIALS_KEY_FILE, CredentialsKey, isEncrypted } from '../credentials/credentials-key.ts';
import { checkDecryptable, credentialsEntry } from '../credentials/server-credentials.ts';
import { serverKey } from '../servers/server-record.ts';
import { serverEntry } from '../store/memory/embedded-server-store.ts';
import { LevelDbStore, type Operation } from '../store/leveldb/leveldb-store.ts';
import { SetDigest } from '../store/set-digest.ts';
import { COUNTED, type Counted } from '../store/leveldb/store-state.ts';
import { restoredServer } from './backup.ts';

/** What is restored is made here and moved to its place when it is whole. */
const UNFINISHED = 'restoring';
const GROUP = 1_000;

type Entry = Extract<Operation, { type: 'put' }>;

/** A backup, and what of it is wanted. */
interface Source {
  file: string;
  /** Leaves out what servers are asked with. */
  withoutCredentials: boolean;
}

/** Reads the wanted lines; resolves when the backup has proved to be whole. */
function readLines({ file, withoutCredentials }: Source, take: (line: BackupLine) => void | Promise<void>) {
  return readBackup(file, line => (withoutCredentials && 'credentials' in line ? undefined : take(line)));
}

/** What servers are asked with, still encrypted. Throws RangeError if this release would not have encrypted so. */
function encryptedOf({ encrypted }: BackupCredentials): Buffer {
  const bytes = Buffer.from(encrypted, 'base64');
  if (!isEncrypted(bytes)) throw new RangeError('credentials of a server that are cut short');
  return bytes;
}

/** The entry that a line is stored as. Throws BackupError where this release has none such. */
function entryOf(line: BackupLine): Entry {
  try {
    if ('server' in line) return { type: 'put', ...serverEntry(restoredServer(line.server)) };
    if ('credentials' in line) {
      const { game_id, address } = line.credentials;
      return {
        type: 'put',
        ...credentialsEntry(serverKey(game_id, address), encryptedOf(line.credentials)),
      };
    }
    if ('token' in line) return { type: 'put', ...tokenEntry(line.token) };
    if ('usage' in line) {
      const { token, minute, count } = line.usage;
      return { type: 'put', ...usageEntry(token, minute, count) };
    }
    return { type: 'put', ...lastUseEntry(line.last_use.token, line.last_use.at) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BackupError(`the backup holds what this release cannot store: ${why}`);
  }
}

function checkEmpty(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const [first] = readdirSync(directory).filter(name => name !== UNFINISHED && name !== CREDENTIALS_KEY_FILE);
  if (first === undefined) return;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${directory} is not empty, it holds ${first}; restore into a new directory, then move it where the core looks`,
  );
}

/**
 * Reads the whole backup before anything is made of it: each line can be stored, credentials are of the server before
 * them, and, if their key is in the directory already, can be decrypted by it. Rejects with BackupError or ConfigError.
 */
async function examine(source: Source, directory: string) {
  const encrypted = new Map<string, Buffer>();
  let server = '';
  const read = await readLines(source, line => {
    entryOf(line);
    if ('server' in line) server = serverKey(line.server.game_id, line.server.address);
    if (!('credentials' in line)) return;
    const key = serverKey(line.credentials.game_id, line.credentials.address);
    if (key !== server)
      throw new BackupError(`the backup holds credentials of "${key}" behind another server`);
    encrypted.set(key, encryptedOf(line.credentials));
    server = '';
  });
  const key = CredentialsKey.read(directory);
  const [wrong] = key ? checkDecryptable(key, encrypted, directory) : [];
  if (wrong !== undefined)
    throw new BackupError(`the credentials of "${wrong}" in the backup are not what was written`);
  return { header: read.header, counts: { ...read.counts, credentials: encrypted.size } };
}

async function write(source: Source, level: LevelDbStore): Promise<void> {
  for (const prefix of COUNTED) level.expect(prefix, new SetDigest());
  await level.begin();
  let operations: Operation[] = [];
  await readLines(source, async line => {
    operations.push(entryOf(line));
    if (operations.length < GROUP) return;
    await level.commit(operations);
    operations = [];
  });
  await level.commit(operations);
}

/** Reads everything again, from the file and from the store, and compares one with the other. */
async function compare(source: Source, level: LevelDbStore): Promise<void> {
  const expected = new Map<string, Entry>();
  const servers = level.entries('s/');
  const tallies: Record<Counted, SetDigest> = {
    's/': new SetDigest(),
    't/': new SetDigest(),
    'c/': new SetDigest(),
  };
  const fault = (key: string): BackupError =>
    new BackupError(
      `${key} is not in the restored store as it is in the backup; check the disk, and try again`,
    );
  let stored = 0;
  await readLines(source, async line => {
    const entry = entryOf(line);
    if (entry.adds !== undefined) tallies[entry.key.slice(0, 2) as Counted].add(entry.adds);
    if (!('server' in line)) {
      expected.set(entry.key, entry);
      return;
    }
    // Both are in order of keys.
    const next = await servers.next();
    if (next.done || next.value[0] !== entry.key || !next.value[1].equals(entry.value))
      throw fault(entry.key);
  });
  const surplus = await servers.next();
  if (!surplus.done) throw fault(surplus.value[0]);
  for (const prefix of ['c/', 't/', 'q/', 'u/']) {
    for await (const [key, value] of level.entries(prefix)) {
      stored++;
      if (!expected.get(key)?.value.equals(value)) throw fault(key);
    }
  }
  if (stored !== expected.size)
    throw new BackupError(`${expected.size - stored} entries of the backup are missing`);
  for (const prefix of COUNTED) level.expect(prefix, tallies[prefix]);
}

function syncDirectory(directory: string): void {
  const folder = openSync(directory, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Makes a data directory of a backup, in a directory that is made, is empty or holds the key of credentials alone, and
 * compares every entry with the backup before it is in its place. Rejects with ConfigError or BackupError; the directory is then as it was.
 */
export async function restoreBackup(
  file: string,
  directory: string,
  withoutCredentials = false,
): Promise<BackupCounts> {
  const source = { file, withoutCredentials };
  checkEmpty(directory);
  if (!existsSync(file)) throw new ConfigError(`there is no file ${file}`);
  const unfinished = join(directory, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    const { header, counts } = await examine(source, directory);
    const store = join(unfinished, 'leveldb');
    mkdirSync(store, { recursive: true });
    let level = await LevelDbStore.open(store, () => {});
    try {
      await write(source, level);
    } finally {
      await level.close();
    }
    level = await LevelDbStore.open(store, () => {});
    try {
      await compare(source, level);
    } finally {
      await level.close();
    }
    if (header.token_key !== null) {
      const key = openSync(tokenKeyPath(unfinished), 'wx', 0o600);
      try {
        writeFileSync(key, Buffer.from(header.token_key, 'base64'));
        fsyncSync(key);
      } finally {
        closeSync(key);
      }
      renameSync(tokenKeyPath(unfinished), tokenKeyPath(directory));
    }
    renameSync(store, join(directory, 'leveldb'));
    syncDirectory(directory);
    return counts;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
