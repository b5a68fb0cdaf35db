/**
 * Program that the command line runs on a data directory while no core uses it. `backup` writes a backup to stdout.
 * `restore <file> [--no-credentials]` creates the data directory from a backup. `examine` checks the data directory and
 * prints each finding as one line of JSON. The settings are the same as for the core.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BackupError } from '../proto/codec/backup-lines.ts';
import { ConfigError } from '../runtime/config.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { settings } from '../runtime/settings.ts';
import { readTokenKey } from './access/token-key.ts';
import { backupChunks } from './backup/backup.ts';
import { storeError } from './core-settings.ts';
import { CredentialsKey } from './credentials/credentials-key.ts';
import { checkDecryptable } from './credentials/load-credentials.ts';
import { storeDirectory } from './engine.ts';
import { type OfflineStore, openOffline, restoreStore } from './offline-store.ts';
import { listDamaged } from './store/store-damage.ts';

/** Result of one check of `examine`. */
interface Finding {
  what: string;
  ok: boolean;
  message: string;
}

const [verb = '', file = '', flag = ''] = process.argv.slice(2);
const config = loadConfig(settings, process.env, []);
const directory = resolve(config.GSQ_DATA_DIR);
const talk = (line: string): void => void process.stderr.write(`gsq: ${line}\n`);

async function out(bytes: Buffer | string): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

function checkThere(): void {
  if (existsSync(storeDirectory(directory))) return;
  throw new ConfigError(`GSQ_DATA_DIR: there is no store in ${directory}`);
}

const open = (): Promise<OfflineStore> =>
  openOffline(directory).catch((error: unknown) => {
    throw storeError(directory, error);
  });

async function backup(): Promise<number> {
  checkThere();
  const store = await open();
  try {
    for await (const chunk of backupChunks(await store.readBackup(Date.now))) await out(chunk);
    for (const fault of store.faults) talk(`left out: ${fault}`);
    return store.faults.length === 0 ? exitStatus.ok : exitStatus.failed;
  } finally {
    await store.close();
  }
}

async function restore(): Promise<number> {
  const counts = await restoreStore(file, directory, flag === '--no-credentials');
  await out(`${JSON.stringify(counts)}\n`);
  return exitStatus.ok;
}

/**
 * Returns a finding: whether the credentials key can decrypt all encrypted credentials. Returns undefined if there is
 * no key and there are no credentials.
 */
function examineCredentials(encrypted: ReadonlyMap<string, Buffer>): Omit<Finding, 'what'> | undefined {
  try {
    const key = CredentialsKey.read(directory);
    const wrong = checkDecryptable(key, encrypted, directory);
    if (wrong.length > 0)
      return {
        ok: false,
        message: `cannot decrypt the credentials of ${listDamaged(wrong)}: they are damaged, or belong to a different server`,
      };
    return (
      key && {
        ok: true,
        message: `valid, accessible only to its owner, and decrypts the credentials of ${encrypted.size} servers`,
      }
    );
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

async function examine(): Promise<number> {
  const findings: Finding[] = [];
  const find = (what: string, ok: boolean, message: string): void =>
    void findings.push({ what, ok, message });
  checkThere();
  try {
    const key = readTokenKey(directory);
    find('token.key', key !== undefined, key ? 'valid, and accessible only to its owner' : 'is missing');
  } catch (error) {
    find('token.key', false, error instanceof Error ? error.message : String(error));
  }
  const store = await open();
  try {
    let servers = 0;
    const source = await store.readBackup(Date.now);
    const encrypted = new Map<string, Buffer>();
    for await (const { key } of source.servers()) {
      servers++;
      const found = source.credentials.encryptedOf(key);
      if (found) encrypted.set(key, found);
    }
    const credentials = examineCredentials(encrypted);
    if (credentials) findings.push({ what: 'credentials.key', ...credentials });
    for (const fault of store.faults) find('store', false, fault);
    if (store.faults.length === 0)
      find('store', true, `${servers} servers and ${source.tokens().length} tokens, all of them undamaged`);
    else
      find(
        'store',
        false,
        `${servers} servers and ${source.tokens().length} tokens can be read; restore the latest backup into an empty directory (gsq restore <file> --data-dir <directory>), or save these (gsq backup <file> --offline)`,
      );
  } finally {
    await store.close();
  }
  for (const finding of findings) await out(`${JSON.stringify(finding)}\n`);
  return findings.every(({ ok }) => ok) ? exitStatus.ok : exitStatus.failed;
}

const verbs: Record<string, () => Promise<number>> = { backup, restore, examine };

try {
  process.exitCode = await (verbs[verb]?.() ?? Promise.resolve(exitStatus.usage));
} catch (error) {
  const isTold = error instanceof ConfigError || error instanceof BackupError;
  talk(error instanceof Error ? (isTold ? error.message : (error.stack ?? error.message)) : String(error));
  process.exitCode = error instanceof ConfigError ? exitStatus.configuration : exitStatus.failed;
}
