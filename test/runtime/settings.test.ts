import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { loadConfig } from '../../runtime/load-config.ts';
import type { Setting } from '../../runtime/setting.ts';
import { settings } from '../../runtime/settings.ts';

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

function documentedDefault({ default: value }: Setting): string {
  if (value === null) return '-';
  return value === '' ? 'empty' : `\`${value}\``;
}

describe('docs/configuration.md', () => {
  test('lists exactly the settings of runtime/settings.ts, in the same order', () => {
    const listed = [...page.matchAll(/^\| `(GSQ_\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(listed, Object.keys(settings));
  });

  for (const [name, setting] of Object.entries<Setting>(settings)) {
    test(`documents the kind, the default and the meaning of the setting ${name}`, () => {
      const kind = setting.secret ? `${setting.kind}, secret` : setting.kind;
      const row = `| \`${name}\` | ${kind} | ${documentedDefault(setting)} | ${setting.help} |`;
      assert.ok(page.split('\n').includes(row), `write this row:\n${row}`);
      assert.match(
        page,
        new RegExp(`^\\| ${setting.kind} \\| `, 'm'),
        `explain how to write a ${setting.kind}`,
      );
    });
  }
});

test('the default of each setting is a valid value', () => {
  const config = loadConfig(settings, {}, []);
  assert.deepEqual(config.GSQ_HTTP_ADDR, { host: '127.0.0.1', port: 8080 });
  assert.equal(config.GSQ_PROBE_INTERVAL, 60_000);
  assert.deepEqual(Object.keys(config), Object.keys(settings));
});
