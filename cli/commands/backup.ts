import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BackupCounts, BackupError, readBackup } from '../../proto/codec/backup-lines.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { syncDirectory } from '../../runtime/sync-directory.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../console/command.ts';
import { writeNewFile } from '../console/new-file.ts';
import { jsonLine } from '../console/printable.ts';
import { streamFromCore } from '../service/core-call.ts';
import { runOffline } from '../service/offline.ts';

/** Name of the file with the key that encrypts the credentials of servers. No backup contains this key. */
const KEY_FILE = 'credentials.key';

/** Returns a text for a message: how many servers and tokens a backup contains. */
function inWords({ servers, tokens }: BackupCounts): string {
  return `${servers} servers and ${tokens} tokens`;
}

async function asCommandError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(exitStatus.failed, error.message);
    throw error;
  }
}

/**
 * Error codes that gsq ignores when it syncs a directory: the file system cannot sync directories, or this user cannot
 * open the directory.
 */
const NO_DIRECTORY_SYNC = ['EINVAL', 'ENOTSUP', 'EACCES'];

/**
 * Syncs the directory of a finished backup, if the file system can do that. The backup file itself is already synced.
 */
function syncFolderOf(backup: string): void {
  try {
    syncDirectory(dirname(backup));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (!NO_DIRECTORY_SYNC.includes(String(code))) throw error;
  }
}

/**
 * Writes a backup to a new file, which only its owner can read. Then reads the file back and verifies it. `fill` writes
 * the content and resolves to the exit status of the command.
 */
async function writeBackup(
  path: string,
  fill: (write: (bytes: Buffer) => void) => Promise<number>,
): Promise<{ status: number; counts: BackupCounts }> {
  const written = await writeNewFile(path, 0o600, async file => {
    const status = await fill(file.write);
    const { counts } = await asCommandError(readBackup(file.name, () => {}));
    return { status, counts };
  });
  syncFolderOf(path);
  return written;
}

export const backup: Command = {
  usage: ['<file> [--offline] [--no-history] [--json]'],
  about: `Writes all stored data of a running core to a new file: the servers with their data, the tokens with
    their usage, and the key that hashes the tokens. Keep this file as safe as the data directory. gsq
    reads the file back before it gets its name. The file contains the credentials of servers only in
    encrypted form. Therefore also keep a copy of the file credentials.key of the data directory, in a
    different place.`,
  options: {
    offline: {
      type: 'boolean',
      about: `back up the data directory GSQ_DATA_DIR (--data-dir), while no core uses it. If the directory is
        damaged, the backup contains only the undamaged data. The command then lists each entry that it
        leaves out, and the exit status is 1`,
    },
    'no-history': {
      type: 'boolean',
      about: 'leave out the history of the servers, which can have gigabytes',
    },
    json: {
      type: 'boolean',
      about:
        'print one JSON object: {file, servers, credentials, tokens, usage, last_uses, webhooks, history}',
    },
  },
  notes: 'Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr), unless --offline.',
  async run(read, terminal) {
    const [name, ...others] = read.positionals;
    if (name === undefined || others.length > 0) throw new UsageError('one file is needed');
    const path = resolve(name);
    const { status, counts } = await writeBackup(path, async write => {
      if (read.flag('offline')) {
        const verb = read.flag('no-history') ? ['backup', '--no-history'] : ['backup'];
        return fromDirectory(verb, { ...terminal.env, ...read.given }, terminal, write);
      }
      await streamFromCore(
        read.config,
        gsqV1.AdminService.service.Backup,
        { withoutHistory: read.flag('no-history') },
        ({ lines }) => write(lines),
      );
      return exitStatus.ok;
    });
    if (read.flag('json')) terminal.out(jsonLine({ file: path, ...counts }));
    else terminal.talk(`${path}: ${inWords(counts)}, read back and verified`);
    return status;
  },
};

/**
 * Backs up a data directory in a child process, while no core uses the directory. Resolves to the exit status of the
 * child process. Rejects with CommandError if the child process wrote no data.
 */
async function fromDirectory(
  verb: readonly string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
  write: (bytes: Buffer) => void,
): Promise<number> {
  let bytes = 0;
  const status = await runOffline([...verb], env, terminal, chunk => {
    bytes += chunk.length;
    write(chunk);
  });
  if (bytes === 0) throw new CommandError(status, 'no backup was made');
  return status;
}

export const restore: Command = {
  usage: ['<file> --data-dir <directory> [--no-credentials] [--json]'],
  about: `Creates a data directory from a backup. The directory must not exist, must be empty, or must contain
    only the file credentials.key. gsq checks the backup before it writes anything. Afterwards, gsq
    compares every stored entry with the backup. If a check fails, gsq removes everything that it has
    written.`,
  options: {
    'no-credentials': {
      type: 'boolean',
      about: 'leave out the credentials of servers; use this if credentials.key is lost',
    },
    json: {
      type: 'boolean',
      about: 'print one JSON object: {servers, credentials, tokens, usage, last_uses, webhooks, history}',
    },
  },
  async run(read, terminal) {
    const [name, ...others] = read.positionals;
    if (name === undefined || others.length > 0) throw new UsageError('one file is needed');
    const without = read.flag('no-credentials') ? ['--no-credentials'] : [];
    let text = '';
    const env = { ...terminal.env, ...read.given };
    const status = await runOffline(['restore', resolve(name), ...without], env, terminal, chunk => {
      text += chunk.toString();
    });
    if (status !== exitStatus.ok) return status;
    const directory = resolve(read.config.GSQ_DATA_DIR);
    const counts = JSON.parse(text) as BackupCounts;
    if (read.flag('json')) terminal.out(text);
    else terminal.talk(`${directory}: ${inWords(counts)}, each compared with the backup`);
    if (counts.credentials + (counts.webhooks ?? 0) > 0 && !existsSync(join(directory, KEY_FILE)))
      terminal.talk(
        `before you start the core, copy the file ${KEY_FILE} of the original data directory to ${directory}`,
      );
    return status;
  },
};
