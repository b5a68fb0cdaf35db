import { createReadStream, statSync } from 'node:fs';
import { reasonOf } from '../../runtime/error-words.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, UsageError } from '../console/command.ts';
import { batches } from '../server-list/batches.ts';
import { type ImportCounts, importBatch } from '../server-list/import-batch.ts';
import { jsonReport, wordReport } from '../server-list/import-report.ts';
import { listFormats, namedFormat } from '../server-list/list-format.ts';
import { readList } from '../server-list/read-list.ts';
import { withCore } from '../service/core-call.ts';

/** Size of the chunks in which gsq reads an imported list, in bytes. The shown progress grows in steps of this size. */
const CHUNK_BYTES = 16 * 1024;

/** An input of the import: a file that the command line names, or stdin. */
interface Source {
  chunks: AsyncIterable<Uint8Array>;
  /**
   * Share of the imported list that has been read so far, from 0 to 1; undefined if the size of the list is unknown.
   */
  share(): number | undefined;
}

/**
 * Opens the list of servers to import: a file, or stdin if `file` is `-`. Opening the file or reading its chunks throws
 * CommandError if the file is unreadable.
 */
function openSource(file: string): Source {
  const unreadable = (error: unknown): CommandError =>
    new CommandError(exitStatus.failed, `the list cannot be read: ${reasonOf(error)}`);
  let size = 0;
  let read = 0;
  try {
    if (file !== '-') size = statSync(file).size;
  } catch (error) {
    throw unreadable(error);
  }
  const chunks = async function* () {
    const stream: AsyncIterable<Uint8Array> =
      file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
    try {
      for await (const chunk of stream) {
        read += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw unreadable(error);
    }
  };
  return { chunks: chunks(), share: () => (size > 0 ? read / size : undefined) };
}

/**
 * Adds `line`, the number of the last imported line, to the message of an error. If `line` is 0, the error stays
 * unchanged.
 */
function stoppedAfter(line: number, error: CommandError): CommandError {
  if (line === 0) return error;
  return new CommandError(
    error.status,
    `${error.message}\nThe import stopped. It is done up to line ${line}. To continue, run the same command again: ` +
      'servers that are tracked already stay as they are.',
  );
}

export const serversImport: Command = {
  usage: ['<file> [--format text|csv|jsonl] [--game <id>] [--dry-run] [--json]'],
  about: `Tracks the servers of a list, like "gsq servers add". <file> is the name of the list, or - for stdin. A refused
    line does not stop the import: it is printed to stderr with its number and the reason, and the exit status is 1. You
    can run the same import again at any time: servers that are tracked keep their data.`,
  options: {
    format: {
      type: 'string',
      value: '<format>',
      values: Object.keys(listFormats),
      about:
        'Format of the list. Without this option, the name of the file decides, or else the first line that is neither blank nor a comment.',
    },
    game: {
      type: 'string',
      value: '<id>',
      values: 'games',
      about: 'Game of the lines that contain only an address.',
    },
    'dry-run': { type: 'boolean', about: 'Check each line with the rules of the core, and insert nothing.' },
    json: {
      type: 'boolean',
      about: `Print one JSON object: {refused_lines: [{line, game_id, server, reason, message}], read, inserted,
        already_tracked, refused, dry_run, complete}.`,
    },
  },
  notes: `Format text: lines of the form "game address"; # begins a comment. File names: .txt, .list.

    Format csv: a header line with the columns game_id and address, in any order. Other columns are ignored. The delimiter
    is a comma, a semicolon or a tab. File names: .csv, .tsv.

    Format jsonl: lines of the form {"game_id":"csgo","server":"203.0.113.7:27015"}. File names: .jsonl, .ndjson, .json.`,
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const [file, ...others] = read.positionals;
    if (file === undefined || others.length > 0) throw new UsageError('one file is needed, or - for stdin');
    const format = namedFormat(read.value('format'), file);
    const dryRun = read.flag('dry-run');
    const source = openSource(file);
    const list = batches(readList(source.chunks, { format, game: read.value('game') ?? '' }));
    const report = read.flag('json') ? jsonReport(terminal) : wordReport(terminal);
    const counts: ImportCounts = { read: 0, inserted: 0, already_tracked: 0, refused: 0 };
    let lastLine = 0;
    terminal.finishWithoutReader?.();
    try {
      await withCore(read.config, async call => {
        for await (const batch of list) {
          report.addRefusals(await importBatch(call, batch, dryRun, counts));
          report.showProgress(counts, source.share());
          await terminal.drained?.();
          lastLine = batch.at(-1)?.line ?? lastLine;
        }
      });
    } catch (error) {
      report.end({ counts, dryRun, complete: false });
      throw error instanceof CommandError ? stoppedAfter(lastLine, error) : error;
    }
    report.end({ counts, dryRun, complete: true });
    return counts.refused > 0 ? exitStatus.failed : exitStatus.ok;
  },
};
