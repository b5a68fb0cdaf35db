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
import { type BackupCounts, BackupError, type BackupLine, readBackup } from '../../proto/backup.ts';
import { ConfigError } from '../../runtime/config.ts';
import { usageEntry } from '../access/day-quota.ts';
import { lastUseEntry } from '../access/last-use.ts';
import { tokenKeyPath } from '../access/token-key.ts';
import { tokenEntry } from '../access/tokens.ts';
import { restoredServer } from './backup.ts';
import { serverEntry } from './embedded-server-store.ts';
import { Level, type Operation } from './level.ts';
import { Tally } from './tally.ts';

/** What is restored is made here and moved to its place when it is whole. */
const UNFINISHED = 'restoring';
const GROUP = 1_000;

type Entry = Extract<Operation, { type: 'put' }>;

/** The entry that a line is stored as. Throws BackupError where this release has none such. */
function entryOf(line: BackupLine): Entry {
  try {
    if ('server' in line) return { type: 'put', ...serverEntry(restoredServer(line.server)) };
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
  const [first] = readdirSync(directory).filter(name => name !== UNFINISHED);
  if (first === undefined) return;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${directory} is not empty, it holds ${first}; restore into a new directory, then move it where the core looks`,
  );
}

async function write(file: string, level: Level): Promise<void> {
  level.expect('s/', new Tally());
  level.expect('t/', new Tally());
  await level.begin();
  let operations: Operation[] = [];
  await readBackup(file, async line => {
    operations.push(entryOf(line));
    if (operations.length < GROUP) return;
    await level.commit(operations);
    operations = [];
  });
  await level.commit(operations);
}

/** Reads everything again, from the file and from the store, and compares one with the other. */
async function compare(file: string, level: Level): Promise<void> {
  const expected = new Map<string, Entry>();
  const servers = level.entries('s/');
  const tallies = { 's/': new Tally(), 't/': new Tally() };
  const fault = (key: string): BackupError =>
    new BackupError(
      `${key} is not in the restored store as it is in the backup; check the disk, and try again`,
    );
  let stored = 0;
  await readBackup(file, async line => {
    const entry = entryOf(line);
    if (entry.adds !== undefined) tallies[entry.key.slice(0, 2) as 's/' | 't/'].add(entry.adds);
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
  for (const prefix of ['t/', 'q/', 'u/']) {
    for await (const [key, value] of level.entries(prefix)) {
      stored++;
      if (!expected.get(key)?.value.equals(value)) throw fault(key);
    }
  }
  if (stored !== expected.size)
    throw new BackupError(`${expected.size - stored} entries of the backup are missing`);
  level.expect('s/', tallies['s/']);
  level.expect('t/', tallies['t/']);
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
 * Makes a data directory of a backup, in an empty directory or one that is made, and compares every entry with the
 * backup before it is in its place. Rejects with ConfigError or BackupError; the directory is then as it was.
 */
export async function restoreBackup(file: string, directory: string): Promise<BackupCounts> {
  checkEmpty(directory);
  if (!existsSync(file)) throw new ConfigError(`there is no file ${file}`);
  const unfinished = join(directory, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    // The whole file first: nothing is made of one that is damaged.
    const { header, counts } = await readBackup(file, line => void entryOf(line));
    const store = join(unfinished, 'leveldb');
    mkdirSync(store, { recursive: true });
    let level = await Level.open(store, () => {});
    try {
      await write(file, level);
    } finally {
      await level.close();
    }
    level = await Level.open(store, () => {});
    try {
      await compare(file, level);
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
