import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, UsageError } from '../console/command.ts';
import { writeNewFile } from '../console/new-file.ts';
import { listFormats, namedFormat } from '../server-list/list-format.ts';
import { withCore } from '../service/core-call.ts';
import { pages } from './servers-list.ts';

/** Every user may read and write an exported server list, unless the umask of the exporting user forbids it. */
const FILE_MODE = 0o666;

export const serversExport: Command = {
  usage: ['[<file>] [--format text|csv|jsonl] [--game <id>]'],
  about: `Writes a list of the tracked servers, in order of game and address. "gsq servers import" reads this list again.
    The list contains only the game and the address of each server. "gsq backup" also saves data, secrets and options.

    <file> is the name of a new file. Without <file>, or with -, the list goes to stdout.`,
  options: {
    format: {
      type: 'string',
      value: '<format>',
      values: Object.keys(listFormats),
      about:
        'Format of the list, see "gsq servers import --help". Without this option, the name of the file decides, or else the format is text.',
    },
    game: { type: 'string', value: '<id>', values: 'games', about: 'Write only the servers of this game.' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const [file = '-', ...others] = read.positionals;
    if (others.length > 0) throw new UsageError('at most one file is needed');
    const format = listFormats[namedFormat(read.value('format'), file) ?? 'text'];
    const game = read.value('game') ?? '';
    let servers = 0;
    const writeList = async (write: (text: string) => void): Promise<void> => {
      await withCore(read.config, async call => {
        let header = format.header;
        for await (const page of pages(call, game)) {
          write(header + page.map(({ result }) => format.line(result)).join(''));
          header = '';
          servers += page.length;
          await terminal.drained?.();
        }
      });
    };
    if (file === '-') await writeList(terminal.out);
    else {
      await writeNewFile(file, FILE_MODE, unfinished =>
        writeList(text => unfinished.write(Buffer.from(text))),
      );
      terminal.talk(`${file}: ${servers} servers`);
    }
    return exitStatus.ok;
  },
};
