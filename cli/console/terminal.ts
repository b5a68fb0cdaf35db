import type { ReadStream, WriteStream } from 'node:tty';
import type { Terminal } from './command.ts';
import { openLiveScreen } from './live-screen.ts';
import { outputOf } from './output.ts';
import { printable } from './printable.ts';
import { openStatusLine } from './status-line.ts';
import { wrapText } from './text-width.ts';

/** The properties of Node's `process` object that a command uses. */
export interface ProcessStreams {
  stdin: Pick<ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;
  stdout: Pick<WriteStream, 'isTTY' | 'write' | 'columns' | 'rows' | 'writableNeedDrain'> & {
    once(event: 'drain', listener: () => void): unknown;
  };
  stderr: Pick<WriteStream, 'isTTY' | 'write' | 'columns'>;
  env: Readonly<Record<string, string | undefined>>;
}

/** Coloured start of each error message of gsq on the terminal. */
const NAME = 'gsq:';

/** Creates the terminal of a command from the streams of this process. */
export function openTerminal({ stdin, stdout, stderr, env }: ProcessStreams): Terminal {
  const errors = outputOf(stderr, env);
  return {
    env,
    now: Date.now,
    stdout: outputOf(stdout, env),
    stderr: errors,
    out: text => void stdout.write(text),
    drained: async () => {
      if (stdout.writableNeedDrain) await new Promise<void>(resolve => stdout.once('drain', resolve));
    },
    statusLine: stderr.isTTY ? openStatusLine(stderr) : undefined,
    talk(message) {
      const lines = message.split('\n').flatMap(line => wrapText(printable(line), errors.columns));
      const text = lines.join('\n');
      const coloured = text.startsWith(NAME) ? errors.paint('bad', NAME) + text.slice(NAME.length) : text;
      stderr.write(`${coloured}\n`);
    },
    openScreen: stdin.isTTY && stdout.isTTY ? () => openLiveScreen(stdin, stdout) : undefined,
  };
}
