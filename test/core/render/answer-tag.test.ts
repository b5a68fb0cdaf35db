import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerTag, writeServerTag } from '../../../core/render/answer-tag.ts';
import type { Staleness } from '../../../core/servers/freshness.ts';
import { emptyView, type ServerView } from '../../../core/servers/server-view.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';

const at = Date.UTC(2026, 0, 1);
const server = { ...emptyView(), lastProbeAt: at, lastOnlineAt: at, nextProbeAt: at + 60_000, dataEnd: 400 };

const address = Buffer.from('<127.0.0.1:27015>');

function add(tag: AnswerTag, view: ServerView, stale?: Staleness): void {
  tag.server(address, 1, address.length - 1, view, stale);
}

function serverTagOf(view: ServerView, stale: Staleness | undefined): Buffer {
  const out = new ByteWriter();
  writeServerTag(out, view, stale);
  return out.takeBytes();
}

function tagOf(write: (tag: AnswerTag) => void): string {
  const tag = new AnswerTag();
  write(tag);
  return Buffer.from(tag.end()).toString('hex');
}

test('equal answers have the same 64-bit entity tag', () => {
  const same = () => tagOf(tag => add(tag, server));
  assert.equal(same(), same());
  assert.match(same(), /^[0-9a-f]{16}$/);
});

test('answers that differ only slightly have different entity tags', () => {
  const tags = new Set<string>();
  let tried = 0;
  const put = (write: (tag: AnswerTag) => void): void => {
    tried++;
    tags.add(tagOf(write));
  };
  put(() => {});
  for (let ms = 0; ms < 20_000; ms++) put(tag => add(tag, { ...server, lastProbeAt: at + ms }));
  for (let ms = 1; ms < 20_000; ms++) put(tag => add(tag, { ...server, nextProbeAt: at - ms }));
  for (const status of ['online', 'offline'] as const) put(tag => add(tag, { ...server, status }));
  for (let age = 0; age < 1000; age++) {
    const stale = { reason: 'offline', ageSeconds: age, thresholdSeconds: 600, lastSuccessAt: at } as const;
    put(tag => add(tag, server, stale));
  }
  for (let i = 0; i < 1000; i++) {
    put(tag => tag.text(`${i}`));
    const bytes = Buffer.from(`127.0.0.1:${i}`);
    put(tag => tag.server(bytes, 0, bytes.length, server, undefined));
    put(tag => tag.server(bytes, 1, bytes.length, server, undefined));
  }
  for (const texts of [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', '']]) {
    put(tag => {
      for (const text of texts) tag.text(text);
    });
  }
  assert.equal(tags.size, tried);
});

test('the entity tag of an answer changes if the data of a server on another core change', () => {
  const views = [
    server,
    { ...server, lastProbeAt: at + 1 },
    { ...server, lastOnlineAt: at + 1 },
    { ...server, nextProbeAt: at + 1 },
    { ...server, dataEnd: 401 },
    { ...server, status: 'offline' as const },
  ];
  const stale = { reason: 'offline', ageSeconds: 1, thresholdSeconds: 600, lastSuccessAt: at } as const;
  const staleness = [undefined, stale, { ...stale, ageSeconds: 2 }];
  const tags = views.flatMap(view => staleness.map(each => serverTagOf(view, each)));
  const ofAnswers = [...tags, ...tags].flatMap(bytes =>
    ['1.2.3.4:1', '1.2.3.4:2'].map(text =>
      tagOf(tag =>
        tag.rendered(Buffer.from(text), 0, text.length, Buffer.concat([Buffer.alloc(3), bytes]), 3),
      ),
    ),
  );
  assert.equal(new Set(ofAnswers).size, 2 * views.length * staleness.length);
});
