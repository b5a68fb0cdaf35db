import type { ReadStream, WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';

import { cutText, textWidth } from './text-width.ts';

/** A full screen in the terminal that is redrawn in place. */
export interface LiveScreen {
  /** Replaces all lines on the full screen. Lines that do not fit into the terminal are truncated or left out. */
  draw(lines: readonly string[]): void;
  /** Resolves when the user quits, the process gets a signal to end, or the terminal is closed. */
  readonly left: Promise<void>;
  /** Leaves the full screen and restores the terminal. */
  close(): void;
}

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const REST_OF_LINE = '\x1b[K';
const REST_OF_SCREEN = '\x1b[J';
/** Keys that close a full screen such as `gsq top`: q, Ctrl-C and Ctrl-D. */
const LEAVING = ['q', 'Q', '\x03', '\x04'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Truncates a line that is too wide for the screen. A truncated line loses its colours. */
function fitting(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  return textWidth(plain) <= columns ? line : cutText(plain, columns);
}

type Input = Pick<ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;
type Output = Pick<WriteStream, 'write' | 'columns' | 'rows'>;

/** Opens a full screen in a terminal. It stays open until `close` is called or this process ends. */
export function openLiveScreen(input: Input, output: Output): LiveScreen {
  let leave: () => void = () => {};
  const left = new Promise<void>(resolve => {
    leave = resolve;
  });
  const onKey = (keys: Buffer): void => {
    const typed = keys.toString('latin1');
    if (LEAVING.some(key => typed.includes(key))) leave();
  };
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    input.off('data', onKey);
    input.off('end', leave);
    for (const signal of SIGNALS) process.off(signal, leave);
    process.off('exit', close);
    input.setRawMode(false);
    input.pause();
    output.write(LEAVE);
  };
  input.setRawMode(true);
  input.on('data', onKey);
  input.on('end', leave);
  input.resume();
  for (const signal of SIGNALS) process.on(signal, leave);
  process.on('exit', close);
  output.write(ENTER);
  return {
    left,
    close,
    draw(lines) {
      const shown = lines
        .slice(0, Math.max(1, output.rows - 1))
        .map(line => fitting(line, output.columns) + REST_OF_LINE);
      output.write(`${HOME}${shown.join('\r\n')}\r\n${REST_OF_SCREEN}`);
    },
  };
}
