import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectOf } from '../../../prober/http/redirects.ts';

function led(from: string, location: string, status = 302): string | undefined {
  const reply = { status, headers: { location }, body: Buffer.alloc(0) };
  return redirectOf(reply, new URL(from))?.href;
}

test('a redirect on the same host is allowed, whether it contains a path or a complete URL', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal(led('https://a.example/list', '/other', status), 'https://a.example/other');
  }
  assert.equal(led('https://a.example/list', 'https://a.example/other'), 'https://a.example/other');
  assert.equal(led('http://a.example/list', 'https://a.example/list'), 'https://a.example/list');
});

test('a Location header is ignored if the status of the reply is not a redirect', () => {
  for (const status of [200, 201, 300, 304, 404])
    assert.equal(led('https://a.example/', '/x', status), undefined);
});

test('a redirect to a different host, port or scheme is refused, except from http to https', () => {
  for (const [from, location] of [
    ['http://a.example/', 'https://b.example/'],
    ['http://a.example/', 'https://a.example:8443/'],
    ['http://a.example/', 'https://a.example.b.example/'],
    ['https://a.example:8443/', 'https://a.example/'],
    ['https://a.example/', 'https://127.0.0.1/'],
    ['https://a.example/', 'http://a.example/'],
    ['https://a.example/', '//b.example/'],
    ['https://a.example/', 'file:///etc/passwd'],
  ] as const) {
    assert.throws(() => led(from, location), /which is not followed/, location);
  }
  assert.throws(() => led('https://a.example/', 'https://['), /no URL/);
});
