import { destination, type Logger, pino } from 'pino';

export type { Logger };

/** A JSON logger on stderr, so that stdout stays free for data. `name` is the process: core, gateway, prober. */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level }, destination({ fd: 2, sync: true }));
}
