import { ConfigError } from './config.ts';
import { type Endpoint, formatEndpoint } from './endpoint.ts';

const REASONS: Record<string, string> = {
  EADDRINUSE:
    'is in use; stop the process that listens there, or set another address (port 0: any free port)',
  EADDRNOTAVAIL: 'is not an address of this machine; set an address of this machine, or 127.0.0.1',
  EACCES: 'needs more rights than this user has; set a port above 1023',
};

/**
 * Creates the ConfigError for an address on which the process cannot listen. `setting`: name of the setting that
 * contains the address.
 */
export function listenError(setting: string, endpoint: Endpoint, error: Error): ConfigError {
  const code = /\bE[A-Z]{4,}\b/.exec(error.message)?.[0] ?? '';
  const reason = REASONS[code] ?? `cannot be used to listen: ${error.message}`;
  return new ConfigError(`${setting}: ${formatEndpoint(endpoint)} ${reason}`);
}
