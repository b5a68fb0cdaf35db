import { ConfigError } from './config.ts';
import { type Endpoint, formatEndpoint } from './endpoint.ts';

const REASONS: Record<string, string> = {
  EADDRINUSE: 'is in use; stop what listens there, or give another address (port 0 takes a free one)',
  EADDRNOTAVAIL: 'is no address of this machine; give one that is, or 127.0.0.1',
  EACCES: 'may not be listened on by this user; give a port above 1023',
};

/** Creates the ConfigError for a setting with an address on which the process cannot listen. */
export function listenError(setting: string, endpoint: Endpoint, error: Error): ConfigError {
  const code = /\bE[A-Z]{4,}\b/.exec(error.message)?.[0] ?? '';
  const reason = REASONS[code] ?? `cannot be listened on: ${error.message}`;
  return new ConfigError(`${setting}: ${formatEndpoint(endpoint)} ${reason}`);
}
