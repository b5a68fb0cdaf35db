import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadConfig } from '../../runtime/load-config.ts';
import { refuses, table } from './example-settings.ts';

function value(name: keyof typeof table, text: string): unknown {
  return loadConfig(table, { [name]: text }, [])[name];
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
    ['GSQ_KEEP', '1h', 3_600_000],
    ['GSQ_KEEP', '1.5d', 129_600_000],
    ['GSQ_KEEP', '90d', 7_776_000_000],
    ['GSQ_KEEP', '2y', 63_072_000_000],
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
    ['GSQ_WAIT', '10', /for example 10s/],
    ['GSQ_WAIT', '10 s', /for example 10s/],
    ['GSQ_WAIT', '-1s', /for example 10s/],
    ['GSQ_WAIT', '1w', /ms, s, m, h, d/],
    ['GSQ_WAIT', '1constructor', /for example 10s/],
    ['GSQ_WAIT', '999ms', /at least 1000/],
    ['GSQ_WAIT', '25d', /at most 24d/],
    ['GSQ_WAIT', `${'9'.repeat(400)}d`, /too large/],
    ['GSQ_KEEP', '30', /for example 30d/],
    ['GSQ_KEEP', '90m', /h, d, y/],
    ['GSQ_KEEP', '1M', /h, d, y/],
    ['GSQ_KEEP', '-1d', /for example 30d/],
    ['GSQ_KEEP', '0.5h', /at least 3600000ms/],
    ['GSQ_KEEP', '300000y', /too large/],
    ['GSQ_ROOM', '64MB', /for example 64MiB/],
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

  for (const text of [' s3cret', 's3cret ', '   ']) {
    test(`refuses the secret "${text}" because of its space; the error does not show the secret`, () =>
      refuses(() => value('GSQ_SECRET', text), '^GSQ_SECRET: has a space at the start or end; [a-z ]*$'));
  }
});
