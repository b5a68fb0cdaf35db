import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { flagsAsEnvironment } from '../../runtime/config-sources.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { refuses, table } from './example-settings.ts';

describe('loadConfig', () => {
  test('uses the default of an absent setting, or undefined if this setting has no default', () => {
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

  test('ignores the environment variables of the example clients in the docs', () => {
    const env = {
      GSQ_URL: 'http://127.0.0.1:8080',
      GSQ_TOKEN: 'gsq_x',
      GSQ_EMAIL: 'a@b.c',
      GSQ_CA: 'cert.pem',
    };
    assert.equal(loadConfig(table, env, []).GSQ_COUNT, 5);
    refuses(() => loadConfig(table, {}, ['--token', 'gsq_x']), '^--token: there is no such flag');
  });

  test('refuses an unknown environment variable that starts with GSQ_, and the error contains its name', () => {
    refuses(
      () => loadConfig(table, { GSQ_HTTP_ADR: 'x' }, []),
      '^GSQ_HTTP_ADR: there is no such setting',
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
    refuses(() => flagsAsEnvironment(table, ['--nix', '1']), '^--nix: there is no such flag');
    refuses(() => flagsAsEnvironment(table, ['name', '1']), '^name: there is no such flag');
    refuses(() => flagsAsEnvironment(table, ['-name', '1']), '^-name: there is no such flag');
    refuses(() => flagsAsEnvironment(table, ['--name']), '^--name: needs a value');
  });
});

describe('a setting whose name ends with _FILE', () => {
  const folder = scratchDirectory();

  test('reads a secret from the file, without its final line break', () => {
    for (const [text, secret] of [
      ['s3cret\n', 's3cret'],
      ['s3cret\r\n', 's3cret'],
      ['two words', 'two words'],
    ]) {
      const path = join(folder, 'secret');
      writeFileSync(path, text ?? '', { mode: 0o600 });
      assert.equal(loadConfig(table, { GSQ_SECRET_FILE: path }, []).GSQ_SECRET, secret);
      assert.equal(loadConfig(table, {}, ['--secret-file', path]).GSQ_SECRET, secret);
    }
  });

  test('refuses a secret with a line break inside, and hides it in the error', () => {
    const path = join(folder, 'lines');
    writeFileSync(path, 'two\nlines', { mode: 0o600 });
    assert.throws(
      () => loadConfig(table, { GSQ_SECRET_FILE: path }, []),
      (error: Error) => /^GSQ_SECRET: contains/.test(error.message) && !error.message.includes('two'),
    );
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

  test('refuses a file that other users can read, and the error says how to correct it', () => {
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
    refuses(() => loadConfig(table, { GSQ_NAME_FILE: 'x' }, []), '^GSQ_NAME_FILE: there is no such setting');
    refuses(() => loadConfig(table, {}, ['--name-file', 'x']), '^GSQ_NAME_FILE: there is no such setting');
  });
});
