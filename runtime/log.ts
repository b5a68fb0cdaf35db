import { destination, type Logger, pino } from 'pino';

export type { Logger };

/**
 * Creates a JSON logger that writes to stderr, because stdout is for data. `name` is the process: core, gateway or
 * prober.
 */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level }, destination({ fd: 2, sync: true }));
}
