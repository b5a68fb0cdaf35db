import assert from 'node:assert/strict';
import { ConfigError } from '../../runtime/config.ts';

/**
 * A table of example settings for tests of the configuration. It contains at least one setting of each kind, such as an
 * address.
 */
export const table = {
  GSQ_ADDR: { kind: 'address', default: '127.0.0.1:8080' },
  GSQ_WAIT: { kind: 'duration', default: '10s', min: 1000 },
  GSQ_KEEP: { kind: 'period', default: '30d', min: 3_600_000 },
  GSQ_ROOM: { kind: 'size', default: '64MiB' },
  GSQ_COUNT: { kind: 'integer', default: '5', min: 1 },
  GSQ_NAME: { kind: 'text', default: 'name' },
  GSQ_OPTION: { kind: 'text', default: null },
  GSQ_LIST: { kind: 'list', default: '' },
  GSQ_LEVEL: { kind: 'level', default: 'info' },
  GSQ_SECRET: { kind: 'text', default: null, secret: true },
} as const;

/** Checks that `load` throws a ConfigError, and that the error message matches each text or pattern in `parts`. */
export function refuses(load: () => unknown, ...parts: (string | RegExp)[]): void {
  assert.throws(load, error => {
    assert.ok(error instanceof ConfigError, String(error));
    for (const part of parts) assert.match(error.message, new RegExp(part));
    return true;
  });
}
