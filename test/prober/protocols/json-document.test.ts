import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonDocument } from '../../../prober/protocols/json-document.ts';
import { MalformedReply } from '../../../prober/protocols/protocol.ts';

const MAX = 1000;
const add = (text: string) => new JsonDocument(MAX).addBytes(Buffer.from(text));

test('JsonDocument finds the end of a JSON document in a byte stream, even if strings contain brackets', () => {
  for (const value of [
    {},
    [],
    { a: '}' },
    [[{ b: ['"', '\\', '\\"]'] }], '[{'],
    { 'c}': '\u00e9\u{1f600}' },
  ]) {
    const text = JSON.stringify(value);
    assert.deepEqual(add(` \r\n\t${text}`), value);
    assert.deepEqual(add(`${text}} and more`), value);
    const document = new JsonDocument(MAX);
    const bytes = Buffer.from(text);
    for (let i = 0; i < bytes.length - 1; i++)
      assert.equal(document.addBytes(bytes.subarray(i, i + 1)), undefined, text);
    assert.deepEqual(document.addBytes(bytes.subarray(-1)), value);
  }
});

test('a JSON document is read as Windows-1252 if it is not valid UTF-8', () => {
  assert.deepEqual(new JsonDocument(MAX).addBytes(Buffer.from('["\xe9"]', 'latin1')), ['é']);
});

test('invalid JSON, and JSON that is neither an object nor an array, is rejected', () => {
  for (const text of ['HTTP/1.1', '"a', '1', 'null', '\0', '}', ']', '{]', '{"a":}', '[1,]', '\ufeff{}']) {
    assert.throws(() => add(text), MalformedReply, text);
  }
});

test('a JSON document is rejected if it exceeds the limit of size or of nesting depth', () => {
  const padded = (bytes: number) => `[${' '.repeat(bytes - 2)}]`;
  assert.deepEqual(add(padded(MAX)), []);
  assert.throws(() => add(padded(MAX + 1)), MalformedReply);
  assert.throws(() => add(' '.repeat(MAX + 1)), MalformedReply);
  assert.notEqual(add('['.repeat(128) + ']'.repeat(128)), undefined);
  assert.throws(() => add('['.repeat(129)), MalformedReply);
  assert.throws(() => add('{"a":['.repeat(65)), MalformedReply);
});

test('after a JSON document has exceeded the size limit, each further chunk is rejected too', () => {
  const document = new JsonDocument(10);
  assert.equal(document.addBytes(Buffer.from('[         ')), undefined);
  assert.throws(() => document.addBytes(Buffer.from(' ')), MalformedReply);
  assert.throws(() => document.addBytes(Buffer.from(']')), MalformedReply);
});
