import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerTag } from '../../../core/servers/answer-tag.ts';
import { emptyView } from '../../../core/servers/payload.ts';

const at = Date.UTC(2026, 0, 1);
const server = { ...emptyView(), lastProbeAt: at, lastOnlineAt: at, nextProbeAt: at + 60_000, dataEnd: 400 };

function tagOf(write: (tag: AnswerTag) => void): string {
  const tag = new AnswerTag();
  write(tag);
  return Buffer.from(tag.end()).toString('hex');
}

test('the same gives the same, and 64 bits of it', () => {
  const same = () => tagOf(tag => tag.server(server, undefined));
  assert.equal(same(), same());
  assert.match(same(), /^[0-9a-f]{16}$/);
});

test('no two of many small differences give the same', () => {
  const tags = new Set<string>();
  let tried = 0;
  const add = (write: (tag: AnswerTag) => void): void => {
    tried++;
    tags.add(tagOf(write));
  };
  add(() => {});
  for (let ms = 0; ms < 20_000; ms++) add(tag => tag.server({ ...server, lastProbeAt: at + ms }, undefined));
  for (let ms = 1; ms < 20_000; ms++) add(tag => tag.server({ ...server, nextProbeAt: at - ms }, undefined));
  for (let age = 0; age < 1000; age++) {
    const stale = { reason: 'offline', ageSeconds: age, thresholdSeconds: 600, lastSuccessAt: at } as const;
    add(tag => tag.server(server, stale));
  }
  for (let i = 0; i < 1000; i++) {
    add(tag => tag.text(`${i}`));
    const bytes = Buffer.from(`127.0.0.1:${i}`);
    add(tag => tag.bytes(bytes, 0, bytes.length));
    add(tag => tag.bytes(bytes, 1, bytes.length));
  }
  for (const texts of [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', '']]) {
    add(tag => {
      for (const text of texts) tag.text(text);
    });
  }
  assert.equal(tags.size, tried);
});
