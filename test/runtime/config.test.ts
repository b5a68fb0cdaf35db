import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError } from '../../runtime/config.ts';
import { flagsAsEnvironment } from '../../runtime/config-sources.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const table = {
  GSQ_ADDR: { kind: 'address', default: '127.0.0.1:8080' },
  GSQ_WAIT: { kind: 'duration', default: '10s', min: 1000 },
  GSQ_ROOM: { kind: 'size', default: '64MiB' },
  GSQ_COUNT: { kind: 'integer', default: '5', min: 1 },
  GSQ_NAME: { kind: 'text', default: 'name' },
  GSQ_OPTION: { kind: 'text', default: null },
  GSQ_LIST: { kind: 'list', default: '' },
  GSQ_LEVEL: { kind: 'level', default: 'info' },
  GSQ_SECRET: { kind: 'text', default: null, secret: true },
} as const;

function value(name: keyof typeof table, text: string): unknown {
  return loadConfig(table, { [name]: text }, [])[name];
}

function refuses(load: () => unknown, ...parts: (string | RegExp)[]): void {
  assert.throws(load, error => {
    assert.ok(error instanceof ConfigError, String(error));
    for (const part of parts) assert.match(error.message, new RegExp(part));
    return true;
  });
}

describe('parsing a setting', () => {
  const good: [name: keyof typeof table, text: string, value: unknown][] = [
    ['GSQ_ADDR', '0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['GSQ_ADDR', '[::1]:65535', { host: '::1', port: 65535 }],
    ['GSQ_ADDR', ':80', { host: '0.0.0.0', port: 80 }],
    ['GSQ_ADDR', 'core.internal:80', { host: 'core.internal', port: 80 }],
    ['GSQ_WAIT', '1000ms', 1000],
    ['GSQ_WAIT', '1.5s', 1500],
    ['GSQ_WAIT', '2m', 120_000],
    ['GSQ_WAIT', '1h', 3_600_000],
    ['GSQ_WAIT', '1d', 86_400_000],
    ['GSQ_ROOM', '0B', 0],
    ['GSQ_ROOM', '1KiB', 1024],
    ['GSQ_ROOM', '2MiB', 2_097_152],
    ['GSQ_ROOM', '1GiB', 1_073_741_824],
    ['GSQ_COUNT', '1', 1],
    ['GSQ_COUNT', '999999999999999', 999_999_999_999_999],
    ['GSQ_NAME', ' as it is ', ' as it is '],
    ['GSQ_LIST', '', []],
    ['GSQ_LIST', ' a, b ,,c', ['a', 'b', 'c']],
    ['GSQ_LEVEL', 'silent', 'silent'],
  ];
  for (const [name, text, expected] of good) {
    test(`accepts ${name}=${text}`, () => assert.deepEqual(value(name, text), expected));
  }

  const bad: [name: keyof typeof table, text: string, why: RegExp][] = [
    ['GSQ_ADDR', '', /write host:port/],
    ['GSQ_ADDR', '8080', /write host:port/],
    ['GSQ_ADDR', 'localhost', /write host:port/],
    ['GSQ_ADDR', 'localhost:65536', /write host:port/],
    ['GSQ_ADDR', 'localhost:http', /write host:port/],
    ['GSQ_ADDR', '::1:80', /write host:port/],
    ['GSQ_ADDR', '[:::]:80', /write host:port/],
    ['GSQ_ADDR', '[1.2.3.4]:80', /write host:port/],
    ['GSQ_ADDR', 'a b:80', /write host:port/],
    ['GSQ_WAIT', '10', /such as 10s/],
    ['GSQ_WAIT', '10 s', /such as 10s/],
    ['GSQ_WAIT', '-1s', /such as 10s/],
    ['GSQ_WAIT', '1w', /ms, s, m, h, d/],
    ['GSQ_WAIT', '1constructor', /such as 10s/],
    ['GSQ_WAIT', '999ms', /at least 1000/],
    ['GSQ_WAIT', '25d', /at most 24d/],
    ['GSQ_WAIT', `${'9'.repeat(400)}d`, /too large/],
    ['GSQ_ROOM', '64MB', /such as 64MiB/],
    ['GSQ_COUNT', '1.5', /write digits only/],
    ['GSQ_COUNT', '-1', /write digits only/],
    ['GSQ_COUNT', '', /write digits only/],
    ['GSQ_COUNT', '1000000000000000', /write digits only/],
    ['GSQ_COUNT', '0', /at least 1/],
    ['GSQ_LEVEL', 'loud', /debug/],
    ['GSQ_NAME', '', /empty/],
    ['GSQ_SECRET', '', /empty/],
  ];
  for (const [name, text, why] of bad) {
    test(`refuses ${name}=${text.slice(0, 20)}, and the error begins with the setting name`, () =>
      refuses(() => value(name, text), `^${name}`, why));
  }
});

describe('loadConfig', () => {
  test('uses the default of a setting that is not set, or undefined if it has no default', () => {
    const config = loadConfig(table, {}, []);
    assert.deepEqual(config.GSQ_ADDR, { host: '127.0.0.1', port: 8080 });
    assert.equal(config.GSQ_ROOM, 67_108_864);
    assert.equal(config.GSQ_OPTION, undefined);
    assert.ok(Object.isFrozen(config));
  });

  test('prefers flags to environment variables', () => {
    const config = loadConfig(table, { GSQ_NAME: 'env', GSQ_COUNT: '2' }, ['--name', 'flag']);
    assert.equal(config.GSQ_NAME, 'flag');
    assert.equal(config.GSQ_COUNT, 2);
  });

  test('ignores environment variables whose name does not start with GSQ_', () => {
    assert.equal(loadConfig(table, { PATH: '/bin', GSQX: '1' }, []).GSQ_COUNT, 5);
  });

  test('refuses an unknown environment variable that starts with GSQ_, and the error contains its name', () => {
    refuses(
      () => loadConfig(table, { GSQ_HTTP_ADR: 'x' }, []),
      '^GSQ_HTTP_ADR: no such setting',
      'configuration.md',
    );
    refuses(() => loadConfig(table, { GSQ_toString: 'x' }, []), '^GSQ_toString');
  });
});

describe('flagsAsEnvironment', () => {
  test('accepts the forms --name value and --name=value', () => {
    assert.deepEqual(flagsAsEnvironment(table, ['--addr', ':1', '--name=a=b', '--option=']), {
      GSQ_ADDR: ':1',
      GSQ_NAME: 'a=b',
      GSQ_OPTION: '',
    });
  });

  test('refuses an unknown flag or a flag without a value, and the error begins with the flag', () => {
    refuses(() => flagsAsEnvironment(table, ['--nix', '1']), '^--nix: no such flag');
    refuses(() => flagsAsEnvironment(table, ['name', '1']), '^name: no such flag');
    refuses(() => flagsAsEnvironment(table, ['-name', '1']), '^-name: no such flag');
    refuses(() => flagsAsEnvironment(table, ['--name']), '^--name: needs a value');
  });
});

describe('a setting whose name ends with _FILE', () => {
  const folder = scratchDirectory();

  test('reads a secret from the file, without its final line break', () => {
    for (const [text, secret] of [
      ['s3cret\n', 's3cret'],
      ['s3cret\r\n', 's3cret'],
      ['two\nlines', 'two\nlines'],
    ]) {
      const path = join(folder, 'secret');
      writeFileSync(path, text ?? '', { mode: 0o600 });
      assert.equal(loadConfig(table, { GSQ_SECRET_FILE: path }, []).GSQ_SECRET, secret);
      assert.equal(loadConfig(table, {}, ['--secret-file', path]).GSQ_SECRET, secret);
    }
  });

  test('refuses an empty file', () => {
    const path = join(folder, 'empty');
    writeFileSync(path, '\n', { mode: 0o600 });
    refuses(() => loadConfig(table, { GSQ_SECRET_FILE: path }, []), '^GSQ_SECRET: is empty');
  });

  test('refuses a file that does not exist', () => {
    refuses(
      () => loadConfig(table, { GSQ_SECRET_FILE: join(folder, 'none') }, []),
      '^GSQ_SECRET_FILE',
      'ENOENT',
    );
  });

  test('refuses a file that other users can read, and the error contains its path, its mode and the correction', () => {
    const path = join(folder, 'open');
    writeFileSync(path, 's3cret');
    chmodSync(path, 0o644);
    refuses(
      () => loadConfig(table, { GSQ_SECRET_FILE: path }, []),
      `^GSQ_SECRET_FILE: ${path} has mode 0644 .*: chmod 600 ${path}$`,
    );
  });

  test('is refused if the setting without _FILE is also set', () => {
    refuses(() => loadConfig(table, { GSQ_SECRET_FILE: 'x', GSQ_SECRET: 'y' }, []), 'both set');
  });

  test('is accepted only for secrets', () => {
    refuses(() => loadConfig(table, { GSQ_NAME_FILE: 'x' }, []), '^GSQ_NAME_FILE: no such setting');
    refuses(() => loadConfig(table, {}, ['--name-file', 'x']), '^GSQ_NAME_FILE: no such setting');
  });
});
