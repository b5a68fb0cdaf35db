import { isatty } from 'node:tty';
import { destination, type Logger, pino } from 'pino';
import { logLine } from './log-line.ts';

export type { Logger };

/** Form of the log lines: JSON objects for programs, or text for a person at a terminal. */
export type LogFormat = 'json' | 'text';

/** Maximum size of the unwritten log lines in memory, bytes. While they are this large, new lines are dropped. */
const MOST_UNWRITTEN = 1024 * 1024;

/**
 * Creates a logger that writes to stderr, because stdout is for data. `name` is the process: core, gateway or prober.
 */
export function createLogger(name: string, level: string, format: LogFormat = 'json'): Logger {
  const stderr = destination({ fd: 2, sync: true, maxLength: MOST_UNWRITTEN });
  // Each line is written at once, so there is nothing to flush. After a fatal line, pino calls `flushSync`, which would
  // repeat a failed write forever.
  stderr.flushSync = () => {};
  const isTerminal = isatty(2);
  // Writing to a closed terminal fails with EIO. The log lines are dropped in this case, so that the process can
  // finish its work. pino itself does the same for a closed pipe (EPIPE).
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    // If stderr is a file on a full disk, the process goes on. The line stays in memory, and is written before the next
    // line as soon as the disk has space.
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return;
    if (error.code !== 'EIO' || !isTerminal) throw error;
    stderr.write = () => true;
  });
  if (format === 'json') return pino({ name, level }, stderr);
  return pino({ name, level }, { write: json => stderr.write(logLine(json, process.stderr.columns)) });
}

/**
 * Creates a logger for the time before the settings are read. It uses the level and the format in the environment
 * variables if they are valid.
 */
export function createEarlyLogger(
  name: string,
  { GSQ_LOG_LEVEL: level = 'info', GSQ_LOG_FORMAT: format }: NodeJS.ProcessEnv = process.env,
): Logger {
  const isLevel = level === 'silent' || Object.hasOwn(pino.levels.values, level);
  return createLogger(name, isLevel ? level : 'info', format === 'text' ? 'text' : 'json');
}
