import { exitStatus } from '../../runtime/lifecycle.ts';
import { readSecretText, SecretFileError } from '../../runtime/secret-file.ts';
import { type Arguments, type Command, type Terminal, UsageError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { progressBar } from '../console/status-line.ts';
import { heading, TextTable } from '../console/text-table.ts';
import { runOffline } from '../service/offline.ts';

/** Name of the embedded store in the options of `gsq migrate` and in GSQ_STORE. */
const EMBEDDED = 'leveldb';

/** Final report that `gsq migrate` gets from the process that copies the store. */
interface MigrateReport {
  from: string;
  to: string;
  entries: number;
  written: number;
  removed: number;
  history: number;
  kinds: { kind: string; entries: number; digest: string }[];
  windowMs?: number;
}

interface Progress {
  phase: string;
  done: number;
  total?: number;
}

/**
 * Returns the source or the target of `gsq migrate`, from the options or GSQ_STORE. Errors do not contain the value,
 * because a URL can contain a password.
 */
function readStore(read: Arguments, side: 'from' | 'to'): string {
  const given = read.value(side);
  const file = read.value(`${side}-file`);
  if (given !== undefined && file !== undefined)
    throw new UsageError(`give either --${side} or --${side}-file, not both`);
  const store = file === undefined ? (given ?? read.config.GSQ_STORE) : readUrl(file, side);
  if (store === EMBEDDED || /^rediss?:\/\//.test(store)) return store;
  throw new UsageError(`--${side} must be ${EMBEDDED}, or the URL of a Redis or Valkey: redis://host:port`);
}

function readUrl(file: string, side: string): string {
  try {
    return readSecretText(file);
  } catch (error) {
    throw error instanceof SecretFileError ? new UsageError(`--${side}-file: ${error.message}`) : error;
  }
}

function isGiven(read: Arguments, side: 'from' | 'to'): boolean {
  return read.value(side) !== undefined || read.value(`${side}-file`) !== undefined;
}

/** Runs a migration in a separate process, and shows its progress. Returns its exit status and its result. */
async function runMigration<T>(
  verb: string,
  stores: { MIGRATE_FROM: string; MIGRATE_TO: string },
  read: Arguments,
  terminal: Terminal,
): Promise<{ status: number; result: T | undefined }> {
  let result: T | undefined;
  let text = '';
  const { statusLine } = terminal;
  const quiet: Terminal = {
    ...terminal,
    talk(line) {
      statusLine?.show('');
      terminal.talk(line);
    },
  };
  const env = { ...terminal.env, ...read.given, ...stores };
  const status = await runOffline([verb], env, quiet, chunk => {
    const lines = (text + chunk.toString()).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const said = JSON.parse(line) as Progress & { result?: T };
      if (said.result === undefined) statusLine?.show(progressText(said, statusLine.columns));
      else result = said.result;
    }
  });
  statusLine?.show('');
  return { status, result };
}

function progressText({ phase, done, total }: Progress, columns: number): string {
  const text = `${phase}: ${done} entries`;
  return total === undefined ? text : progressBar(done / total, text, columns);
}

function report(result: MigrateReport, target: string, terminal: Terminal): void {
  const { from, to, entries, written, removed, history, kinds, windowMs } = result;
  const rows = kinds.map(({ kind, entries, digest }) => [kind, String(entries), digest]);
  terminal.out(new TextTable(terminal.stdout).format([heading('Entries', 'Number', 'Digest'), ...rows]));
  const gone = removed > 0 ? `, ${removed} removed that the source no longer has` : '';
  terminal.talk(`${to}: ${entries} entries, each compared with ${from} (${written} written now${gone})`);
  terminal.talk(`${history} entries of the history, each compared`);
  if (windowMs !== undefined)
    terminal.talk(
      `The cores are read-only now: it took ${windowMs} ms to copy and compare the last changes.`,
    );
  const setting = target === EMBEDDED ? `GSQ_STORE=${EMBEDDED}` : 'GSQ_STORE=<the URL>';
  const stop = windowMs === undefined ? 'Start gsq' : 'Stop the old cores, and start gsq';
  terminal.talk(`${stop} with ${setting}, and with the same data directory: it has the keys.`);
  terminal.talk(
    'No core starts on the old store any more. If you want to go back, migrate in the other direction.',
  );
}

async function abort(read: Arguments, terminal: Terminal): Promise<number> {
  const to = readStore(read, 'to');
  // A migration to Redis or Valkey always reads the embedded store (LevelDB), so the option `--from` is refused.
  const from = to === EMBEDDED ? readStore(read, 'from') : EMBEDDED;
  if (isGiven(read, 'from') && to !== EMBEDDED)
    throw new UsageError(`--abort takes --from only together with --to ${EMBEDDED}`);
  const stores = { MIGRATE_FROM: from, MIGRATE_TO: to };
  const { status, result } = await runMigration<{ to: string; removed: number }>(
    'abort-migration',
    stores,
    read,
    terminal,
  );
  if (!result) return status;
  if (read.flag('json')) terminal.out(jsonLine(result));
  else
    terminal.talk(`${result.to}: ${result.removed} copied entries removed; the source is usable as before`);
  return status;
}

export const migrate: Command = {
  usage: [
    '--from leveldb --to <url> [--json]',
    '--from <url> --to leveldb [--json]',
    '--abort --to <store> [--json]',
  ],
  about: `Moves all stored data between the embedded store of the data directory GSQ_DATA_DIR (--data-dir) and
    a Redis or Valkey. gsq can run or be stopped. If it runs, run the command on the machine of the core with
    that data directory.

    The command copies everything while gsq goes on. Then it makes the cores read-only, copies the last
    changes, and compares every entry. Read-only cores answer fetches, and refuse new servers with CORE_1.
    They stay read-only until you stop them, so that nothing is written to the old store any more. No core
    starts on the old store afterwards. The history of the servers is copied too. The key files stay in the
    data directory; therefore use the same data directory before and after the migration.

    If the command is interrupted, the cores go on with the old store. Run the command again: it continues.
    Until it has finished, no core starts on the new store.`,
  options: {
    from: {
      type: 'string',
      value: '<store>',
      about: 'the store to copy: leveldb, or a URL such as redis://host:port. The default is GSQ_STORE',
    },
    'from-file': {
      type: 'string',
      value: '<file>',
      about: 'a file with the URL of the store to copy, which only you can read',
    },
    to: {
      type: 'string',
      value: '<store>',
      about:
        'the store to fill, which must be empty or outdated: leveldb, or a URL. The default is GSQ_STORE',
    },
    'to-file': {
      type: 'string',
      value: '<file>',
      about: 'a file with the URL of the store to fill, which only you can read',
    },
    abort: {
      type: 'boolean',
      about: 'remove everything that an interrupted migration has copied to the store --to',
    },
    json: {
      type: 'boolean',
      about:
        'print one JSON object: {from, to, entries, written, removed, history, kinds, windowMs}; with --abort: {to, removed}',
    },
  },
  notes: `Other users of the machine can see the arguments of a command. If a URL contains a password, use
    GSQ_STORE, --from-file or --to-file.`,
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('migrate takes no argument; use --from and --to');
    if (read.flag('abort')) return abort(read, terminal);
    if (!isGiven(read, 'from') && !isGiven(read, 'to')) throw new UsageError('--from or --to is needed');
    const stores = { MIGRATE_FROM: readStore(read, 'from'), MIGRATE_TO: readStore(read, 'to') };
    if ((stores.MIGRATE_FROM === EMBEDDED) === (stores.MIGRATE_TO === EMBEDDED))
      throw new UsageError(
        `exactly one of --from and --to must be ${EMBEDDED}; the default of both is GSQ_STORE`,
      );
    const { status, result } = await runMigration<MigrateReport>('migrate', stores, read, terminal);
    if (status !== exitStatus.ok || !result) return status;
    if (read.flag('json')) terminal.out(jsonLine(result));
    else report(result, stores.MIGRATE_TO, terminal);
    return status;
  },
};
